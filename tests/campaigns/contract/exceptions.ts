// Where the stock rules of the linters do not fit this interface, each with its reason. An exception that matches no
// finding fails the campaign.
import type { Place } from './places.ts';

export interface Exception {
  readonly linter: 'redocly' | 'spectral';
  readonly rule: string;
  /** Whether the exception covers a finding at that place. */
  covers(place: Place): boolean;
  readonly why: string;
}

const LOWER_CASE = 'Header names are case-insensitive (RFC 9110, 5.1). The same rule in our spelling is on.';
const REPLY_BOUNDS = 'Replies repeat what was accepted, in pages: requests are bounded, and so are replies.';
const OPEN_TO_ALL = 'The interface has operations without credentials (interface.md 4.5 and 5, rule 9).';

export const EXCEPTIONS: readonly Exception[] = [
  {
    ...{ linter: 'redocly', rule: 'info-license', covers: at(/^info$/) },
    why: 'The software is not licensed to others.',
  },
  {
    ...{ linter: 'redocly', rule: 'operation-2xx-response', covers: at(/^paths\/\/api\/v1\/public\/auth\/idp\/get/) },
    why: 'This operation always redirects (interface.md 4.5).',
  },
  ...['info-license', 'license-url'].map((rule) => ({
    ...({ linter: 'spectral', rule, covers: at(/^info$/) } as const),
    why: 'The software is not licensed to others.',
  })),
  {
    ...{ linter: 'spectral', rule: 'info-contact', covers: at(/^info$/) },
    why: 'The document is served by each operator, whom the software does not know.',
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-rate-limit', covers: at(/\/headers$/) },
    why: LOWER_CASE,
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-rate-limit-retry-after', covers: at(/\/headers$/) },
    why: LOWER_CASE,
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api8:2023-define-cors-origin', covers: at(/(^|\/)headers$/) },
    why: LOWER_CASE,
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-string-limit', covers: isReply },
    why: REPLY_BOUNDS,
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-string-limit', covers: hasFiniteForm },
    why: 'A format of fixed form, or an anchored pattern without unbounded repetition, bounds the length.',
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-array-limit', covers: isReply },
    why: REPLY_BOUNDS,
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-string-restricted', covers: isReply },
    why: REPLY_BOUNDS,
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-string-restricted', covers: isBounded },
    why: 'Names, reasons and factors are free text in any script; symbols, venues and ids are looked up; cursors are opaque.',
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api2:2023-no-credentials-in-url', covers: at(/\/recall\/get\/parameters\//) },
    why: 'They are the tokens of a language model, in which the length of a text is measured.',
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api4:2023-integer-format', covers: at(/\/example\//) },
    why: 'The place is a value: the JSON Schema of a step, as an example of a reply.',
  },
  {
    ...{ linter: 'spectral', rule: 'owasp:api5:2023-admin-security-unique', covers: at(/^paths\/\/api\/v1\/admin\//) },
    why: 'Admin is a role of an owner and not a credential (interface.md 5; settled.md 8).',
  },
  {
    linter: 'spectral',
    rule: 'owasp:api8:2023-define-error-responses-401',
    covers: at(/^paths\/\/api\/v1\/admin\//),
    why: 'The admin area answers 403 to all other callers (interface.md 4.1).',
  },
  {
    linter: 'spectral',
    rule: 'owasp:api8:2023-define-error-responses-401',
    covers: at(/^paths\/\/api\/v1\/(nodes|public)\b/),
    why: OPEN_TO_ALL,
  },
  {
    ...{
      linter: 'spectral',
      rule: 'owasp:api2:2023-read-restricted',
      covers: at(/^paths\/\/api\/v1\/(nodes|public)\b/),
    },
    why: OPEN_TO_ALL,
  },
  {
    linter: 'spectral',
    rule: 'owasp:api2:2023-write-restricted',
    covers: at(/^paths\/\/api\/v1\/public\/auth\//),
    why: OPEN_TO_ALL,
  },
];

function at(pattern: RegExp): (place: Place) => boolean {
  return ({ pointer }) => pattern.test(pointer);
}

function isReply({ part }: Place): boolean {
  return part === 'reply';
}

function hasFiniteForm({ part, schema }: Place): boolean {
  const { format = '', pattern = '' } = schema;
  if (part !== 'request') return false;
  return ['date', 'date-time', 'uuid'].includes(format) || /^\^(?!.*([*+]|,\})).*\$$/.test(pattern);
}

function isBounded({ part, schema }: Place): boolean {
  return part === 'request' && schema.maxLength !== undefined;
}
