// Uses what each generator made of the document. It compiles only if the types fit the decision of the README.
import assert from 'node:assert/strict';
import { decision } from './decision.ts';

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
/** One key for all: the first request stores the decision, and the others get the same reply. */
const idempotencyKey = 'generated-clients';
const headers = { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey };
/** The same time in New York. */
const inZone = { ...decision, data_cutoff: '2003-02-13T09:00:00-05:00' };
const wrong = { ...decision, horizon_value: -1 };

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
}

function judges(input: Schema, output: Schema, accepted: unknown): void {
  for (const body of [decision, inZone]) assert(input.safeParse(body).success, String(input.safeParse(body).error));
  assert(!input.safeParse(wrong).success, 'It accepts a horizon below 0.');
  assert(output.safeParse(accepted).success, String(output.safeParse(accepted).error));
}

async function heyApi() {
  const { createClient } = await import('./hey-api/client/index.ts');
  const { submitDecision } = await import('./hey-api/sdk.gen.ts');
  const { zAcceptedDecision, zDecisionSubmission } = await import('./hey-api/zod.gen.ts');
  const client = createClient({ baseUrl, headers: { 'x-api-key': apiKey } });
  const { data, error, response } = await submitDecision({
    client,
    body: decision,
    headers: { 'idempotency-key': idempotencyKey },
  });
  assert(data && 'record_id' in data, JSON.stringify(error));
  judges(zDecisionSubmission, zAcceptedDecision, data);
  return { status: response?.status, record_id: data.record_id };
}

async function kubb() {
  const { submitDecision } = await import('./kubb/clients/submitDecision.ts');
  const { acceptedDecisionSchema } = await import('./kubb/zod/acceptedDecisionSchema.ts');
  const { decisionSubmissionSchema } = await import('./kubb/zod/decisionSubmissionSchema.ts');
  const data = await submitDecision(
    decision,
    undefined,
    { 'idempotency-key': idempotencyKey },
    { baseURL: baseUrl, headers: { 'x-api-key': apiKey, 'content-type': 'application/json' } },
  );
  assert('record_id' in data, JSON.stringify(data));
  judges(decisionSubmissionSchema, acceptedDecisionSchema, data);
  // This client does not return the status.
  return { status: 201, record_id: data.record_id };
}

async function orval() {
  const { submitDecision } = await import('./orval/client.ts');
  const { SubmitDecision201Response, SubmitDecisionBody } = await import('./orval/zod.ts');
  const reply = await submitDecision(decision, undefined, { headers });
  assert(reply.status === 201, JSON.stringify(reply.data));
  judges(SubmitDecisionBody, SubmitDecision201Response, reply.data);
  return { status: reply.status, record_id: reply.data.record_id };
}

async function swaggerTypescriptApi() {
  const { Api } = await import('./swagger-typescript-api/api.ts');
  const reply = await new Api({ baseUrl }).api.submitDecision(decision, {}, { headers });
  // It types the first success of an operation alone, here that of a dry run.
  return { status: reply.status, record_id: (reply.data as unknown as { record_id: string }).record_id };
}

async function oazapfts() {
  const { submitDecision } = await import('./oazapfts/api.ts');
  const reply = await submitDecision(decision, { idempotencyKey }, { baseUrl, headers: { 'x-api-key': apiKey } });
  assert(reply.status === 201, JSON.stringify(reply.data));
  return { status: reply.status, record_id: reply.data.record_id };
}

async function openapiZodClient() {
  const { createApiClient, schemas } = await import('./openapi-zod-client/api.ts');
  // It knows the first success of an operation alone, here that of a dry run, so that the reply is not validated.
  const api = createApiClient(baseUrl, { validate: 'request' });
  const data = await api.submitDecision(decision, { headers });
  judges(schemas.DecisionSubmission, schemas.AcceptedDecision, data);
  return { status: 201, record_id: (data as unknown as { record_id: string }).record_id };
}

const clients = {
  'hey-api': heyApi,
  kubb,
  orval,
  'swagger-typescript-api': swaggerTypescriptApi,
  oazapfts,
  'openapi-zod-client': openapiZodClient,
};
const records = new Set<string>();
for (const [name, use] of Object.entries(clients)) {
  try {
    const { status, record_id } = await use();
    assert.equal(status, 201);
    records.add(record_id);
    assert.equal(records.size, 1, 'It did not send the idempotency key.');
    console.log(`held ${name}`);
  } catch (error) {
    console.log(`BROKEN ${name}: ${error instanceof Error ? error.message : JSON.stringify(error)}`);
  }
}
