// First use: find board and camera, test them, drag the corners, press the clock, let devices in.
import { svg } from "./board.js";
import { api, context, digits, el, order, say, toast } from "./page.js";
import { pairingCode } from "./people.js";

const $ = (id) => document.getElementById(id);
const hardware = (what) =>
  api(`/api/v1/tables/${context.table}/hardware/${what}`).then((r) => r.result);

async function search() {
  for (const [id, what, name, key] of [
    ["boards", "boards", "use_board", "address"],
    ["cameras", "cameras", "use_camera", "source"],
  ]) {
    const box = $(id);
    box.replaceChildren(el("p", { class: "muted" }, say("Searching …")));
    try {
      const found = (await hardware(what)) || [];
      box.replaceChildren(
        ...(found.length
          ? found
              .map((f) => (typeof f === "string" ? { [key]: f } : f))
              .map((f) =>
                el(
                  "button",
                  {
                    class: "option",
                    "aria-pressed": Boolean(f.used),
                    onclick: async () => {
                      if (await order(name, { [key]: f[key] })) {
                        toast(say("In use from now on."));
                        search();
                      }
                    },
                  },
                  el("bdi", { dir: "ltr" }, String(f[key])),
                  el("span", { class: "p" }, f.what || ""),
                ),
              )
          : [el("p", { class: "nothing" }, say("None found. Check the cable and search again."))]),
      );
    } catch (error) {
      box.replaceChildren(el("p", { class: "nothing" }, error.message));
    }
  }
}

for (const button of document.querySelectorAll("[data-probe]")) {
  button.addEventListener("click", async () => {
    const what = button.dataset.probe;
    const box = document.querySelector(`[data-result=${what}]`);
    box.replaceChildren(say("Testing …"));
    button.disabled = true;
    try {
      const result = await hardware(what);
      const lines = Array.isArray(result?.lines)
        ? result.lines
        : Object.entries(result || {}).map(
            ([k, v]) => `${k}: ${typeof v === "object" ? JSON.stringify(v) : digits(v)}`,
          );
      box.replaceChildren(
        el(
          "span",
          { class: `chip ${result?.ok === false ? "bad" : "good"}` },
          result?.ok === false ? say("Not yet right") : say("Answers"),
        ),
        el(
          "ul",
          {},
          lines.map((line) => el("li", { dir: "auto" }, line)),
        ),
      );
    } catch (error) {
      box.replaceChildren(
        el("span", { class: "chip bad" }, say("Not yet right")),
        el("p", {}, error.message),
      );
    }
    button.disabled = false;
  });
}

// Corners.
let corners = null;
let size = [1, 1];
const marks = $("corner-marks");
const image = $("live");
image.addEventListener("load", () => {
  $("corner-box").hidden = false;
  $("no-picture").hidden = true;
  if (!corners) inset();
});
image.addEventListener("error", () => {
  $("corner-box").hidden = true;
  $("no-picture").hidden = false;
});
const live = () => {
  if (!document.hidden)
    image.src = `/api/v1/tables/${context.table}/camera.jpg?plain=true&t=${Date.now()}`;
};

function inset() {
  size = [image.naturalWidth, image.naturalHeight];
  const [w, h] = size;
  corners = [
    [0.15, 0.15],
    [0.85, 0.15],
    [0.85, 0.85],
    [0.15, 0.85],
  ].map(([x, y]) => [x * w, y * h]);
  drawCorners();
}

function drawCorners() {
  const [w, h] = size;
  marks.setAttribute("viewBox", `0 0 ${w} ${h}`);
  const names = [say("top left"), say("top right"), say("bottom right"), say("bottom left")];
  marks.replaceChildren(
    svg("polygon", { points: corners.map((c) => c.join(",")).join(" ") }),
    ...corners.map(([x, y], i) => {
      const dot = svg("circle", {
        cx: x,
        cy: y,
        r: w / 45,
        tabindex: 0,
        role: "slider",
        "aria-label": names[i],
        "aria-valuetext": `${Math.round(x)}, ${Math.round(y)}`,
        "aria-valuenow": Math.round(x),
        "aria-valuemin": 0,
        "aria-valuemax": w,
      });
      dot.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        dragging = i;
        marks.setPointerCapture(event.pointerId);
      });
      dot.addEventListener("keydown", (event) => {
        const step = {
          ArrowLeft: [-1, 0],
          ArrowRight: [1, 0],
          ArrowUp: [0, -1],
          ArrowDown: [0, 1],
        }[event.key];
        if (!step) return;
        event.preventDefault();
        const far = event.shiftKey ? 10 : 1;
        corners[i] = [corners[i][0] + step[0] * far, corners[i][1] + step[1] * far];
        drawCorners();
        marks.children[i + 1].focus();
      });
      return dot;
    }),
  );
}

let dragging = null;
marks.addEventListener("pointermove", (event) => {
  if (dragging === null) return;
  const box = marks.getBoundingClientRect();
  corners[dragging] = [
    ((event.clientX - box.left) / box.width) * size[0],
    ((event.clientY - box.top) / box.height) * size[1],
  ].map((v, i) => Math.min(size[i], Math.max(0, v)));
  drawCorners();
});
for (const name of ["pointerup", "pointercancel"])
  marks.addEventListener(name, () => {
    dragging = null;
  });
$("find-corners").addEventListener("click", async () => {
  try {
    const found = await hardware("corners");
    if (!found.corners) {
      toast(found.trouble || say("The corners were not found. Drag them by hand."), true);
      return;
    }
    corners = found.corners;
    size = found.size || size;
    drawCorners();
  } catch (error) {
    toast(error.message, true);
  }
});
$("keep-corners").addEventListener("click", async () => {
  if (
    corners &&
    (await order("set_corners", {
      corners: corners.map((c) => c.map((v) => Math.round(v * 10) / 10)),
      size,
    }))
  )
    toast(say("The corners are kept."));
});
$("search").addEventListener("click", search);
$("pair").addEventListener("click", async () => {
  try {
    $("pairing").replaceChildren(...(await pairingCode("player")));
  } catch (error) {
    toast(error.message, true);
  }
});
search();
live();
setInterval(live, 2000);
