// The table's machine, asked for its hardware.
import { api, context } from "./page.js";

/**
 * What the table's machine answers when it is asked for its hardware.
 * @template T
 * @param {string} what
 * @returns {Promise<T>}
 */
export const hardware = async (what) => {
  /** @type {{ result: T }} */
  const { result } = await api(`/api/v1/tables/${context.table}/hardware/${what}`, {});
  return result;
};
