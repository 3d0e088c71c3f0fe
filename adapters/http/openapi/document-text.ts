import { boundText } from '../kit/input/int64.ts';
import type { OpenApiDocument } from './components.ts';

/** The document as JSON. JSON.stringify rounds the bounds of 64 bits outwards, so their digits are written here. */
export function documentText(document: OpenApiDocument): string {
  return JSON.stringify(document).replaceAll(
    /"(minimum|maximum)":(-?\d{19,})/g,
    (_, name: string, digits: string) => `"${name}":${boundText(Number(digits))}`,
  );
}
