import { z } from 'zod';

/** Which leaf of a decision is proved. */
export const leafQuery = z.strictObject({
  leaf: z.enum(['decision', 'outcome']).default('decision').describe('Which leaf: of the submission, or of the grade.'),
});

export const receiptQuery = leafQuery.extend({
  opening: z
    .enum(['public', 'full'])
    .default('public')
    .describe('`full` adds salt, statement and your ids, with which you prove to others that you said it.'),
});

/** The reply that is a proof file of C2SP. */
export const PROOF_FILE = {
  description: 'The proof file (C2SP tlog-proof); the verifier checks it without this service.',
  contentType: 'text/plain; charset=utf-8',
  schema: z.string(),
  example: 'c2sp.org/tlog-proof@v1\nextra eyJ2IjoxfQ==\nindex 1\n\napi.example.com/log/1\n2\n...\n',
};
