import { z } from 'zod';
import { queryBoolean } from '../../kit/input/query-values.ts';

const leafQuery = z.strictObject({
  leaf: z.enum(['decision', 'outcome']).default('decision').describe('Which leaf: of the submission, or of the grade.'),
});

export const publicProofQuery = leafQuery.extend({
  evidence: queryBoolean()
    .default(false)
    .describe('Adds to `leaf=outcome` what it was computed from, where the operator may show that.'),
});

export const receiptQuery = leafQuery.extend({
  opening: z
    .enum(['public', 'full'])
    .default('public')
    .describe(
      '`full` adds salt, statement and your ids, with which you prove to others that you said it; to `leaf=outcome` the ' +
        'evidence and the bars that it was computed from.',
    ),
});

/** The reply that is a proof file of C2SP. */
export const PROOF_FILE = {
  description: 'The proof file (C2SP tlog-proof); the verifier checks it without this service.',
  contentType: 'text/plain; charset=utf-8',
  schema: z.string(),
  example: 'c2sp.org/tlog-proof@v1\nextra eyJ2IjoxfQ==\nindex 1\n\napi.example.com/log/1\n2\n...\n',
};
