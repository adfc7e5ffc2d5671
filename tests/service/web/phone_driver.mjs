// The page's own half of the link, worked by a test over lines of JSON: one command, one answer.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { PhoneCore, remembered } = await import(pathToFileURL(process.argv[2]).href);
const phones = {};
const acts = {
  open: (phone) => phone.opened(),
  close: (phone) => (phone.closed(), []),
  press: (phone, { what, ms }) => phone.press(what, ms),
  heard: (phone, { said, ms }) => phone.heard(said, ms),
};
for await (const line of createInterface({ input: process.stdin })) {
  const given = JSON.parse(line);
  if (given.do === "load") {
    const kept = phones[given.phone] ? JSON.stringify(phones[given.phone].memory) : (given.kept ?? null);
    phones[given.phone] = new PhoneCore(remembered(kept, given.phone));
  }
  const phone = phones[given.phone];
  const says = acts[given.do]?.(phone, given) ?? [];
  console.log(JSON.stringify({ says, waiting: phone.waiting }));
}
