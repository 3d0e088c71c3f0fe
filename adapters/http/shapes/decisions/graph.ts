import { z } from 'zod';
import type { DetailWriter } from '../../../../application/decisions/stored-detail.ts';
import { replyJson } from '../../../../application/json-text.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { COMPUTED_RELATIONS, GRAPH_DIRECTIONS, type WalkBounds } from '../../../../domain/decisions/graph/graph.ts';
import { RELATIONS } from '../../../../domain/decisions/submission/submission.ts';
import { GRAPH } from '../../../../domain/limits.ts';
import { queryInt64, queryInteger } from '../../kit/input/query-values.ts';
import { checkedBy } from '../../kit/reply/pushed-reply.ts';
import { cohortExample, cohortHandle } from '../cohorts/cohort.ts';
import { anyDetail } from './decision-views.ts';
import { ownSummary } from './own-records.ts';
import { INT32 } from './submission.ts';

const checked = checkedBy(anyDetail, 'The detail of a record');

/** Raised when details of the same schema are made in another way, so that stored ones of before are not sent. */
export const EDITION = 7;

let edition: string | undefined;

/** Writes the replies of all endpoints that return one detail. */
export const DETAIL_WRITER: DetailWriter = {
  get edition() {
    edition ??= sha256(`${EDITION} ${JSON.stringify(z.toJSONSchema(anyDetail, { unrepresentable: 'any' }))}`).toString(
      'base64url',
    );
    return edition;
  },
  write: (detail) => replyJson(checked(detail)),
};

/** The parameters of a graph, with its caps for the descriptions. */
export function graphQuery({ depth, limit }: WalkBounds) {
  return z.strictObject({
    direction: z
      .enum(GRAPH_DIRECTIONS)
      .default('both')
      .describe(
        '`outbound`: records that a record points to; `inbound`: records that point to it; `both`: these and records of the same cohort or workflow.',
      ),
    depth: queryInteger(0, INT32)
      .default(GRAPH.defaultDepth)
      .describe(`How many links away; 0 is the record alone, above ${depth} means ${depth}.`),
    limit: queryInt64(0)
      .default(GRAPH.defaultLimit)
      .describe(`Nodes at most, the record itself included; above ${limit} means ${limit}.`),
  });
}

const publicNode = z
  .strictObject({
    view: z.literal('public'),
    ...cohortHandle.omit({ cohort_current_regime: true }).shape,
  })
  .meta({ id: 'PublicGraphNode' });
const ownerNode = z.strictObject({ view: z.literal('owner'), ...ownSummary }).meta({ id: 'OwnerGraphNode' });

const edges = z
  .array(
    z
      .strictObject({ from: z.string(), to: z.string(), relation: z.enum([...RELATIONS, ...COMPUTED_RELATIONS]) })
      .meta({ id: 'GraphEdge' }),
  )
  .readonly()
  .describe('Between the nodes. `same_cohort` and `same_workflow` have no direction: `from` is the smaller id.');
const root = z.string().describe('The requested record: the first of the nodes.');
const truncated = z.boolean().describe('Whether the limit left out a record within the depth.');

export const publicGraph = z
  .strictObject({ root, nodes: z.array(publicNode).readonly(), edges, truncated })
  .meta({ id: 'PublicDecisionGraph' });

export const anyGraph = publicGraph
  .extend({
    nodes: z.array(z.discriminatedUnion('view', [ownerNode, publicNode])).readonly(),
  })
  .meta({
    id: 'DecisionGraph',
    description: 'Your own records in the short owner form, records of others as public handles; `view` shows which.',
  });

const [handle] = cohortExample.items;
if (!handle) throw new Error('The example of a cohort shows a record.');
const newer = { record_id: 'dec_20260131_0ddba115', data_cutoff: new Date('2003-02-14T14:00:00Z') };

export const graphExample: z.input<typeof publicGraph> = {
  root: handle.record_id,
  nodes: [
    { view: 'public', ...handle },
    { view: 'public', ...handle, ...newer },
  ],
  edges: [
    { from: newer.record_id, to: handle.record_id, relation: 'refines' },
    { from: handle.record_id, to: newer.record_id, relation: 'same_cohort' },
  ],
  truncated: false,
};
