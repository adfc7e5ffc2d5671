// Signing in by name and password, or by a code.
import { api } from "./page.js";

for (const [id, path] of [
  ["sign-in", "/api/v1/sign-in"],
  ["pair", "/api/v1/pair"],
]) {
  const form = document.getElementById(id);
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    const error = form.querySelector(".error");
    error.textContent = "";
    button.disabled = true;
    try {
      const me = await api(path, Object.fromEntries(new FormData(form)));
      location.assign(me.role === "player" ? "/" : "/arbiter");
    } catch (failure) {
      error.textContent = failure.message;
    } finally {
      button.disabled = false;
    }
  });
}
