import { readPublicCohort } from '../../../../application/cohorts/public-cohort.ts';
import type { Ports } from '../../../../application/ports.ts';
import { PUBLIC_REPLIES } from '../../../../domain/limits.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { calendarPart } from '../../kit/input/query-values.ts';
import { PUBLIC_PARAMETERS, publicCohortExample, publicCohortReply } from '../../shapes/cohorts/cohort.ts';
import { cohortQuery } from '../../shapes/cohorts/cohort-query.ts';

/** The parameters of `GET /public/cohorts`. */
const publicCohortQuery = cohortQuery.pick(PUBLIC_PARAMETERS).extend({
  period: calendarPart()
    .optional()
    .describe('Only a `data_cutoff` in this UTC year, month or day: `2026`, `2026-01` or `2026-01-30`.'),
});

export function publicCohortEndpoint(ports: Pick<Ports, 'cohorts' | 'settings' | 'symbols'>) {
  return endpoint({
    id: 'countPublicCohort',
    method: 'GET',
    path: '/api/v1/public/cohorts',
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
