// Before the first paint: the look that this device chose. A classic script, so that nothing
// flashes.
for (const key of ["theme", "board"]) {
  let value = null;
  try {
    value = localStorage.getItem(`takhte-${key}`);
  } catch {
    /* storage may be closed to us: the defaults hold */
  }
  if (value) document.documentElement.dataset[key] = value;
}
