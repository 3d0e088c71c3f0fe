import { askCohort } from '../../../application/cohorts/ask-cohort.ts';
import { readPublicCohort } from '../../../application/cohorts/public-cohort.ts';
import type { Ports } from '../../../application/ports.ts';
import { PUBLIC_REPLIES } from '../../../domain/limits.ts';
import { endpoint } from '../kit/endpoint.ts';
import { calendarPart } from '../kit/input/query-values.ts';
import {
  cohortExample,
  cohortReply,
  PUBLIC_PARAMETERS,
  publicCohortExample,
  publicCohortReply,
} from '../shapes/cohorts/cohort.ts';
import { cohortQuery } from '../shapes/cohorts/cohort-query.ts';

export function wisdomEndpoint(ports: Ports) {
  return endpoint({
    id: 'queryWisdom',
    method: 'GET',
    path: '/api/v1/agent/wisdom',
    summary: 'Count the records of a cohort and page through them',
    description:
      'Returns raw counts of public, evaluated records, and the records without their owners. There is no rate, score ' +
      'or advice. A cohort of too few owners or records is suppressed: its counts are null, its lists empty, and ' +
      '`suppression.message` says why. Part of a larger cohort may be suppressed too ' +
      '(`narrowed_too_far`): ask for whole months or years. `plan` and `queries_asked` show what your account stated and asked before.',
    tag: 'Cohorts',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    query: cohortQuery,
    shapeStatus: 422,
    spends: 'query',
    replies: {
      200: { description: 'The cohort, or why it is withheld.', schema: cohortReply, example: cohortExample },
    },
    problems: ['SERVICE_UNAVAILABLE'],
    async handle({ caller, query }) {
      return { status: 200, body: await askCohort(ports, caller.owner_id, query) };
    },
  });
}

/** The parameters of `GET /public/cohorts`. */
const publicCohortQuery = cohortQuery.pick(PUBLIC_PARAMETERS).extend({
  period: calendarPart()
    .optional()
    .describe('Only a `data_cutoff` in this UTC year, month or day: `2026`, `2026-01` or `2026-01-30`.'),
});

export function publicCohortEndpoint(ports: Pick<Ports, 'cohorts' | 'settings' | 'symbols' | 'names' | 'clock'>) {
  return endpoint({
    id: 'countPublicCohort',
    method: 'GET',
    path: '/api/v1/public/cohorts',
    isAddition: true,
    summary: 'Count the records of a cohort without credentials',
    description:
      'Returns the overview that `GET /api/v1/agent/wisdom` has for the same cohort, and no records. The same cohorts are ' +
      'suppressed. To refer to a result, send `as_of` with the time of the reply: later grades then change nothing, ' +
      'while a quarantine does. 404 where the operator has turned them off. Credentials are ignored.',
    tag: 'Cohorts',
    auth: 'none',
    limits: 'cohort',
    sharedFor: PUBLIC_REPLIES.sharedFor,
    query: publicCohortQuery,
    shapeStatus: 422,
    replies: {
      200: {
        description: 'The counts, or why they are withheld.',
        schema: publicCohortReply,
        example: publicCohortExample,
      },
    },
    problems: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ query }) {
      return { status: 200, body: await readPublicCohort(ports, query) };
    },
  });
}
