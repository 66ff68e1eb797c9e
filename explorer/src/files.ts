/* Files made on the page. */
import { element } from "./dom";

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export const fileName = (...parts: string[]): string => `${parts.join("-").replace(/[^\w.-]+/g, "-")}`;
