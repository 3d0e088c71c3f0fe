import { MIMEType } from 'node:util';
import { Problem } from '../../../../domain/problem.ts';

/**
 * Refuses a body of another media type or in another encoding than UTF-8. The charset may have any label that the
 * Encoding Standard gives UTF-8 (`utf-8`, `utf8`, in any case, quoted or not); other parameters are ignored.
 * @param sent the header Content-Type @param wanted the media type, in lower case and without parameters
 * @throws Problem UNSUPPORTED_MEDIA_TYPE
 */
export function requireType(sent: string | undefined, wanted: string): void {
  if (sent === wanted) return;
  const type = parsed(sent);
  if (type?.essence !== wanted) {
    throw refusal(`The body must be ${wanted} in UTF-8.`, `Send the header Content-Type: ${wanted}.`);
  }
  const charset = type.params.get('charset');
  if (charset !== null && !namesUtf8(charset)) {
    const suggestion = `Send the body in UTF-8, with the header Content-Type: ${wanted}; charset=utf-8.`;
    throw refusal(`The body must be in UTF-8, not in the charset ${charset.slice(0, 40)}.`, suggestion);
  }
}

function parsed(sent: string | undefined): MIMEType | undefined {
  try {
    return sent === undefined ? undefined : new MIMEType(sent);
  } catch {
    return undefined;
  }
}

function namesUtf8(label: string): boolean {
  try {
    return new TextDecoder(label).encoding === 'utf-8';
  } catch {
    return false;
  }
}

function refusal(message: string, suggestion: string): Problem {
  return new Problem('UNSUPPORTED_MEDIA_TYPE', message, { suggestion });
}
