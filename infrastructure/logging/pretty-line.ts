/** One line for people: time of day, level, message, then `name=value`; a fault's frames follow, indented. */
export function prettyLine({ time, level, message, error, ...fields }: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${printable(value)}`);
  const line = [String(time).slice(11, 23), String(level).padEnd(5), printable(message), ...pairs].join(' ');
  return error === undefined ? line : `${line}\n${indented(error)}`;
}

/** Quoted unless plain: a value with a line break or an escape sequence must not look like a line of the log. */
function printable(value: unknown): string {
  const text = String(value);
  return /^[\x20-\x7e]*$/.test(text) ? text : JSON.stringify(text).replace(/[^\x20-\x7e]/gu, '?');
}

function indented(error: unknown): string {
  return JSON.stringify(error, null, 2)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
