import { z } from 'zod';
import { CHANGE_EVENTS, DECISION_EVENTS, type FeedEvent } from '../../../../domain/events/event.ts';
import { PAGE } from '../../../../domain/limits.ts';
import { instant, queryInteger } from '../../kit/input/query-values.ts';
import { agentIdText } from '../decisions/own-records.ts';
import { circuitState, coin, lifecycleState, resultBucket } from '../texts.ts';

export const eventQuery = z.strictObject({
  after: z
    .string()
    .max(PAGE.cursorLength)
    .optional()
    .describe(
      'The `next_cursor` of an earlier reply to you; without it the oldest event comes first. It is valid until events ' +
        'behind it are more than 30 days old. `now`: only what happens from now on.',
    ),
  limit: queryInteger(1, PAGE.limit).optional().describe(`Events per reply; default ${PAGE.defaultLimit}.`),
});

export const ownerEventQuery = eventQuery.extend({
  agent_id: agentIdText().optional().describe('Only the events of this agent, and changes of circuits.'),
});

export const eventHeaders = z.strictObject({
  'last-event-id': z
    .string()
    .max(PAGE.cursorLength)
    .optional()
    .describe('A cursor, as `after`, which it takes the place of: the last `id` of a stream that was cut.'),
});

const id = z.uuid().describe('The same wherever and however often the event is read.');
const timestamp = instant().describe('When it happened.');
const recordId = z.string().max(40);

const decisionData = {
  record_id: recordId,
  lifecycle_state: lifecycleState.describe('After the change; of a submission that of its receipt.'),
  result_bucket: resultBucket.nullable().describe('null unless the record is evaluated.'),
};

const creditData = {
  record_id: recordId.describe('The record whose evaluation earned it.'),
  amount: z.int().min(1).describe('Units of the query pool.'),
  day: z.iso.date().describe('The UTC day on which they can be spent.'),
};

const circuitEvent = z
  .strictObject({
    id,
    type: z.literal('circuit.changed'),
    timestamp,
    data: z.strictObject({ coin, from: circuitState, to: circuitState }).meta({ id: 'CircuitEventData' }),
  })
  .meta({ id: 'CircuitEvent' });

/** The expiry is a text already: the data of an event are stored as they are sent. */
const keyEvent = z
  .strictObject({
    id,
    type: z.literal('key.expiring'),
    timestamp,
    data: z
      .strictObject({
        key_prefix: z.string().max(12),
        expires_at: z.string().max(24).meta({ format: 'date-time' }),
      })
      .meta({ id: 'KeyEventData' }),
  })
  .meta({ id: 'KeyEvent' });

/**
 * @param agent the members of a reader who has more than one agent
 * @param name of the schemas of this reader
 * @param types of events of a decision
 * @param others events that concern no decision
 */
function feedOf<
  Agent extends z.ZodRawShape,
  const Types extends readonly string[],
  Others extends readonly [typeof circuitEvent, ...(typeof keyEvent)[]],
>(agent: Agent, name: string, types: Types, others: Others) {
  const decisionEvent = z
    .strictObject({
      ...{ id, type: z.enum(types), timestamp },
      data: z.strictObject({ ...decisionData, ...agent }).meta({ id: `${name}DecisionEventData` }),
    })
    .meta({ id: `${name}DecisionEvent` });
  const creditEvent = z
    .strictObject({
      ...{ id, type: z.literal('quota.credited'), timestamp },
      data: z.strictObject({ ...creditData, ...agent }).meta({ id: `${name}CreditEventData` }),
    })
    .meta({ id: `${name}CreditEvent` });
  const description = 'Later versions may add types: ignore those that you do not know.';
  const event = z
    .discriminatedUnion('type', [decisionEvent, creditEvent, ...others])
    .meta({ id: `${name}Event`, description });
  const feed = z
    .strictObject({
      items: z.array(event).readonly(),
      next_cursor: z
        .string()
        .max(PAGE.cursorLength)
        .describe('Send it as `after` of the next request, also when there was no event.'),
    })
    .meta({ id: `${name}EventFeed` });
  return { feed, event };
}

/** Of the agent that the key is bound to, without its id. */
export const { feed: agentEventFeed, event: agentEvent } = feedOf({}, 'Agent', CHANGE_EVENTS, [circuitEvent]);
export const { feed: ownerEventFeed, event: ownerEvent } = feedOf(
  { agent_id: z.string().max(40) },
  'Owner',
  DECISION_EVENTS,
  [circuitEvent, keyEvent],
);

type OwnerEvent = z.input<typeof ownerEvent>;
type AgentEvent = z.input<typeof agentEvent>;

/** The form in which an event is sent to its owner. */
export function ownerEventOf({ id, type, at, data }: FeedEvent): OwnerEvent {
  return { id, type, timestamp: at, data } as OwnerEvent;
}

/** The form in which an event is sent to its agent. */
export function agentEventOf({ id, type, at, data }: FeedEvent): AgentEvent {
  const { agent_id: _, ...own } = { agent_id: null, ...data };
  return { id, type, timestamp: at, data: own } as AgentEvent;
}

const example = {
  id: '6f1c0a9d-2b7e-4853-9a41-0c5d3e7f1b28',
  type: 'decision.evaluated',
  timestamp: new Date('2026-01-30T14:30:02.000Z'),
} as const;
const exampleData = {
  record_id: 'dec_20260129_8f3a2b1c',
  lifecycle_state: 'evaluated',
  result_bucket: 'strong_correct',
} as const;
const next_cursor = 'Zm9yIHRoZSBuZXh0IHJlcXVlc3Q';

export const agentEventsExample: z.input<typeof agentEventFeed> = {
  items: [{ ...example, data: exampleData }],
  next_cursor,
};
export const ownerEventsExample: z.input<typeof ownerEventFeed> = {
  items: [{ ...example, data: { ...exampleData, agent_id: 'agt_4f1c2d3e5a6b' } }],
  next_cursor,
};
