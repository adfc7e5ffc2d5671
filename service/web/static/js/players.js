// A player's page: club, erasing in two taps.
import { byId, findById, valuesOf } from "./dom.js";
import { api, complain, say, toast } from "./page.js";

const form = findById("club", HTMLFormElement);
if (form) {
  const address = `/api/v1/players/${byId("player").dataset.ident}`;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await api(address, { club: valuesOf(form).club }, "PUT");
      toast(say("Saved"));
    } catch (error) {
      complain(error);
    }
  });
  const ask = byId("erase", HTMLButtonElement);
  const erase = byId("erase-sure", HTMLButtonElement);
  ask.addEventListener("click", () => {
    ask.hidden = true;
    erase.hidden = false;
    erase.focus();
  });
  erase.addEventListener("click", async () => {
    erase.disabled = true;
    try {
      await api(address, undefined, "DELETE");
      location.assign("/players");
    } catch (error) {
      complain(error);
      erase.disabled = false;
    }
  });
}
