// The rules for the OpenAPI document: all of spectral:oas and of the OWASP API top 10. Each change has a comment that says
// why the original rule is wrong for this interface.
import { defined, schema, truthy } from '@stoplight/spectral-functions';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

const ruleset = owasp.default ?? owasp;

/** A rule with another place or another check. */
function changed(name, given, check) {
  const rule = ruleset.rules[name];
  // biome-ignore lint/suspicious/noThenProperty: Spectral calls it so.
  return { ...rule, given: given ?? rule.given, then: check ?? rule.then };
}

/** Schemas of a type in requests, at any depth. */
function sent(type) {
  const places = ['$.paths[*][*].parameters[*].schema', '$.paths[*][*].requestBody.content[*].schema'];
  return places.flatMap((place) => [
    `${place}..[?(@ && @.type=='${type}')]`,
    `${place}[?(@property=='type' && @=='${type}')]^`,
  ]);
}

/** All ways to bound the length of a string. */
const ENDING_STRING = {
  anyOf: [
    { required: ['maxLength'] },
    { required: ['enum'] },
    { required: ['const'] },
    { required: ['format'], properties: { format: { enum: ['date', 'date-time', 'uuid'] } } },
    // Anchored, without unbounded repetition.
    { required: ['pattern'], properties: { pattern: { pattern: '^\\^(?!.*([*+]|,\\})).*\\$$' } } },
  ],
};

const RATE_HEADERS = { type: 'object', required: ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] };

// biome-ignore lint/style/noDefaultExport: Spectral reads a ruleset so.
export default {
  extends: [[oas, 'all'], ruleset],
  rules: {
    // The software is not licensed to others, and it does not know its operator.
    'info-contact': 'off',
    'info-license': 'off',
    'license-url': 'off',

    // Accepted values and page limits bound the replies, so these two check requests. A format or a pattern bounds a string,
    // too.
    'owasp:api4:2023-string-limit': changed('owasp:api4:2023-string-limit', sent('string'), {
      function: schema,
      functionOptions: { schema: ENDING_STRING },
    }),
    'owasp:api4:2023-array-limit': changed('owasp:api4:2023-array-limit', sent('array')),
    // The original rules find schemas in examples: a kind of step has its own JSON Schema as a value.
    'owasp:api4:2023-integer-limit': changed('owasp:api4:2023-integer-limit', sent('integer')),
    'owasp:api4:2023-integer-format': changed('owasp:api4:2023-integer-format', [
      ...sent('integer'),
      `$.paths[*][*].responses[*].content[*].schema..[?(@ && @.type=='integer')]`,
    ]),
    // Names, reasons and factors are free text; other strings have a format, a pattern or an enum.
    'owasp:api4:2023-string-restricted': 'off',

    // Header names are case-insensitive (RFC 9110, 5.1), and the original rules know one spelling. The same rules in ours.
    'owasp:api4:2023-rate-limit': changed('owasp:api4:2023-rate-limit', undefined, {
      field: 'headers',
      function: schema,
      functionOptions: { schema: RATE_HEADERS },
    }),
    'owasp:api4:2023-rate-limit-retry-after': changed('owasp:api4:2023-rate-limit-retry-after', undefined, {
      field: 'retry-after',
      function: defined,
    }),
    'owasp:api8:2023-define-cors-origin': changed(
      'owasp:api8:2023-define-cors-origin',
      '$.paths..responses[*].headers',
      { field: 'access-control-allow-origin', function: truthy },
    ),

    // Admin is a role of an owner and not a credential (interface.md 5, settled.md 8): tests/http/authorisation checks who
    // has access.
    'owasp:api5:2023-admin-security-unique': 'off',
    // The admin area answers 403 to other callers, and the public area needs no credential (interface.md 4.1, 4.5).
    'owasp:api8:2023-define-error-responses-401': changed(
      'owasp:api8:2023-define-error-responses-401',
      '$.paths[?(@property.match(/^\\/api\\/v1\\/(agent|owner)\\//))]..responses',
    ),
    // The contract has operations without credentials (interface.md 5, rule 9): tests/http/contract-table.ts names them all.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api2:2023-write-restricted': 'off',
  },
};
