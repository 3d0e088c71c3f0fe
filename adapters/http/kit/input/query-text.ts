import { Problem, type ProblemDetail } from '../../../../domain/problem.ts';

/** No parameters: one shared value, so that callers can compare by identity. */
export const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/**
 * The query of a URL as name -> text. Names without `=` have the empty text.
 * @throws Problem VALIDATION_ERROR for invalid percent-encoding, U+0000 and repeated parameters
 */
export function parseQuery(url: string, status: number): Readonly<Record<string, string>> {
  const start = url.indexOf('?');
  if (start < 0 || start === url.length - 1) return NOTHING;
  return parsePairs(url.slice(start + 1), 'The query cannot be read.', status);
}

/** The values of a form as name -> text. @throws Problem VALIDATION_ERROR as `parseQuery` */
export function parseForm(text: string): Readonly<Record<string, string>> {
  return parsePairs(text, 'The form cannot be read.', 400);
}

function parsePairs(text: string, refusal: string, status: number): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  const details: ProblemDetail[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === null) details.push({ path: pair.slice(0, 40), message: 'must be percent-encoded UTF-8' });
    else if (value === null) details.push({ path: name, message: 'must be percent-encoded UTF-8 without U+0000' });
    else if (name in values) details.push({ path: name, message: 'must be sent only once' });
    else values[name] = value;
  }
  if (details.length > 0) throw new Problem('VALIDATION_ERROR', refusal, { details, status });
  return values;
}

function decode(text: string): string | null {
  if (!/[%+]/.test(text)) return text;
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
}
