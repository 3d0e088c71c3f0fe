// All of spectral:oas and of the OWASP API top 10, unchanged, and three OWASP rules in the spelling of our headers.
// ../exceptions.ts names the findings that do not fit this interface.
import { defined, schema, truthy } from '@stoplight/spectral-functions';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

const ruleset = owasp.default ?? owasp;

/** An OWASP rule with another check, and other places if given. */
function changed(name, check, given) {
  const rule = ruleset.rules[name];
  // biome-ignore lint/suspicious/noThenProperty: Spectral calls it so.
  return { ...rule, given: given ?? rule.given, then: check };
}

const RATE_HEADERS = { type: 'object', required: ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] };

// biome-ignore lint/style/noDefaultExport: Spectral reads a ruleset so.
export default {
  extends: [[oas, 'all'], ruleset],
  rules: {
    'own-rate-limit': changed('owasp:api4:2023-rate-limit', {
      field: 'headers',
      function: schema,
      functionOptions: { schema: RATE_HEADERS },
    }),
    'own-retry-after': changed('owasp:api4:2023-rate-limit-retry-after', { field: 'retry-after', function: defined }),
    'own-cors-origin': changed(
      'owasp:api8:2023-define-cors-origin',
      { field: 'access-control-allow-origin', function: truthy },
      '$.paths..responses[*].headers',
    ),
  },
};
