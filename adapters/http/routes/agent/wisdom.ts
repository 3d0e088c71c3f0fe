import { askCohort } from '../../../../application/cohorts/ask-cohort.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { cohortExample, cohortReply } from '../../shapes/cohorts/cohort.ts';
import { cohortQuery } from '../../shapes/cohorts/cohort-query.ts';

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
