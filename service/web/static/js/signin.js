// Signing in by name and password, or by a code.
import { findById, inside, messageOf } from "./dom.js";
import { api } from "./page.js";

/** The pages that are nothing but the form. */
const OWN = ["/sign-in", "/pair"];

for (const [id, path] of [
  ["sign-in", "/api/v1/sign-in"],
  ["pair", "/api/v1/pair"],
]) {
  const form = findById(id, HTMLFormElement);
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = inside(form, "button", HTMLButtonElement);
    const problem = inside(form, ".error", HTMLElement);
    problem.textContent = "";
    button.disabled = true;
    try {
      /** @type {{ role: string }} */
      const me = await api(path, Object.fromEntries(new FormData(form)));
      // The form stands in the place of a page that wanted it, or on its own page.
      if (!OWN.includes(location.pathname)) location.reload();
      else location.assign(me.role === "player" ? "/" : "/arbiter");
    } catch (failure) {
      problem.textContent = messageOf(failure);
    } finally {
      button.disabled = false;
    }
  });
}
