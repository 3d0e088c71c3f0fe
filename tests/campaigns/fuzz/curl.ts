import type { Sent } from './send.ts';

/** The request as a curl command, cut after 4,000 characters. */
export function curlOf(url: string, { method, path, headers, body }: Sent): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const text = body?.toString() ?? '';
  const isText = body === null || Buffer.from(text).equals(body);
  const data = body === null ? [] : [`--data-binary ${isText ? quoted(text) : `$'${escaped(body)}'`}`];
  return ['curl -i --path-as-is -g', `-X ${method}`, quoted(url + path), ...options, ...data].join(' ').slice(0, 4_000);
}

function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not reach a terminal
  if (/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/.test(text)) return `$'${escaped(Buffer.from(text))}'`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function escaped(bytes: Buffer): string {
  return [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
}
