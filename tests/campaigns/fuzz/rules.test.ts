import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../../adapters/http/openapi/openapi-document.ts';
import { endpointsOf } from '../../../adapters/http/routes/endpoints.ts';
import type { Ports } from '../../../application/ports.ts';
import { RULES } from './check/rules.ts';
import { readDocument } from './document.ts';

const { operations } = readDocument(JSON.stringify(openApiDocument(endpointsOf({} as Ports), '0.0.0')));

test.each(RULES.map((rule) => ({ ...rule, shown: `${rule.path} ${rule.message}` })))(
  'the document has the words of the rule $shown: $words',
  ({ of = /^/, words }) => {
    const concerned = operations.filter(({ id }) => of.test(id));
    expect(concerned.filter((operation) => operation.words.includes(words))).not.toEqual([]);
  },
);
