// The desk: a match that is over, put right play by play beside its pictures; the keyboard first.
import { Amending } from "./amend_desk.js";
import { askNames } from "./amend_dialogs.js";
import { byId } from "./dom.js";
import { api, complain } from "./page.js";

const address = byId("desk").dataset.address ?? "";

try {
  const desk = new Amending(address, await api(address));
  const acts = /** @type {Record<string, () => unknown>} */ ({
    keep: () => desk.keep(),
    gone: () => desk.gone(),
    missed: () => desk.insert(),
    cube: () => desk.cube(),
    ends: () => desk.ends(),
    score: () => desk.score(),
    undo: () => desk.send(null),
    names: () => askNames(desk.match, (said) => desk.send(said)),
    seal: () => desk.seal(),
  });
  for (const [id, act] of Object.entries(acts)) byId(id).addEventListener("click", act);
  byId("start-over").addEventListener("click", () => desk.startOver());
  byId("only").addEventListener("change", () => desk.list());
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) {
      return;
    }
    const on =
      event.target instanceof Element
        ? event.target.closest("select, input, button, a, [role=button], summary")
        : null;
    // Enter and arrows belong to what has the focus, where that is something of its own.
    if (
      on &&
      (event.key === "Enter" ||
        event.key.startsWith("Arrow") ||
        on.matches("select, input:not([type=checkbox])"))
    ) {
      return;
    }
    if (desk.press(event.key)) event.preventDefault();
  });
} catch (error) {
  complain(error);
}
