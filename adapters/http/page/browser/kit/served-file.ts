/** The address of a file of the page, such as a drawing library, that is loaded when it is first needed. */
export function addressOfFile(name: string): string {
  return new URL(`./${name}`, import.meta.url).href;
}
