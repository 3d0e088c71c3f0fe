import { z } from 'zod';
import { ROLES } from '../../../domain/caller.ts';
import { ACCOUNT, AUDIT, MODERATION, PAGE } from '../../../domain/limits.ts';
import type { ListedInstrument } from '../../../domain/market/instrument-list.ts';
import { INSTRUMENT_LISTS } from '../../../domain/market/instrument-list.ts';
import { instant, queryBoolean, queryInteger, timestamp } from '../kit/input/query-values.ts';
import { identity } from './decision-parts.ts';
import { recordIdText } from './submission-parts.ts';
import { reasonText } from './texts.ts';
import { direction, lifecycleState, submissionOrigin, tier } from './words.ts';

const paged = (items: string) => ({
  cursor: z.string().max(4_096).optional().describe('The `next_cursor` of a page of the same query.'),
  limit: queryInteger(1, PAGE.limit).optional().describe(`${items} per page; default ${PAGE.defaultLimit}.`),
});

const pageOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z.strictObject({ items: z.array(item).readonly(), next_cursor: z.string().nullable() }).meta({ id });

const role = z.enum(ROLES).meta({ id: 'Role' });
const count = (text: string) => z.int().min(0).describe(text);

export const accountPath = z.strictObject({
  owner_id: z.uuid().meta({ description: 'The id of the owner.', example: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3' }),
});

export const accountQuery = z.strictObject({
  find: z.string().min(1).max(ACCOUNT.emailLength).optional().describe('An owner_id, or the begin of an email.'),
  role: role.optional().describe('Only accounts with this role.'),
  tier: tier.optional().describe('Only accounts of this tier.'),
  suspended: queryBoolean().optional().describe('Only suspended accounts, or only the others.'),
  ...paged('Accounts'),
});

export const account = z
  .strictObject({
    owner_id: z.uuid(),
    email: z.string().nullable().describe('null for an account of the identity provider alone. It is not verified.'),
    role,
    tier,
    created_at: instant(),
    suspended_at: instant().nullable().describe('Since when an operator has suspended it; null: it is in use.'),
    agents: count('Those that are not archived.'),
    keys: count('Those that are not revoked.'),
    sessions: count('Those that have not expired.'),
    webhooks: count(''),
    decisions: count('All that were submitted.'),
  })
  .meta({ id: 'Account' });

export const accountPage = pageOf(account, 'AccountPage');

export const suspendRequest = z
  .strictObject({
    reason: reasonText(ACCOUNT.suspensionReasonLength).describe(
      'For operators: it is stored in the audit log for ever.',
    ),
  })
  .meta({ id: 'SuspendRequest' });

export const suspension = z
  .strictObject({
    changed: z.boolean().describe('false: it was suspended before.'),
    sessions_ended: count('By this request.'),
    keys_stopped: z.array(z.string()).readonly().describe('The prefixes of the keys that this request stopped.'),
    account,
  })
  .meta({ id: 'Suspension' });

export const resumption = z
  .strictObject({
    changed: z.boolean().describe('false: it was not suspended.'),
    keys_restored: z.array(z.string()).readonly().describe('The prefixes of the keys that work again.'),
    account,
  })
  .meta({ id: 'Resumption' });

export const tierRequest = z.strictObject({ tier }).meta({ id: 'TierRequest' });

export const tierChange = z
  .strictObject({
    changed: z.boolean().describe('false: it had that tier.'),
    sessions_ended: count('A larger tier ends the sessions.'),
    account,
  })
  .meta({ id: 'TierChange' });

export const accountExample = {
  owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  email: 'ada@example.org',
  role: 'owner',
  tier: 'free',
  created_at: new Date('2026-01-12T09:00:00.000Z'),
  suspended_at: null,
  agents: 2,
  keys: 3,
  sessions: 1,
  webhooks: 0,
  decisions: 412,
} as const;

export const auditQuery = z.strictObject({
  actor: z.string().min(1).max(AUDIT.filterLength).optional().describe('An owner_id, or `command line: ` with a user.'),
  action: z
    .string()
    .min(1)
    .max(AUDIT.filterLength)
    .optional()
    .describe('Such as `quarantine`, `suspend_owner`, `create_key`.'),
  subject: z
    .string()
    .min(1)
    .max(AUDIT.filterLength)
    .optional()
    .describe('What it was done to: a record id, an owner_id, the prefix of a key, an instrument.'),
  since: timestamp().optional().describe('Only entries at or after this time.'),
  until: timestamp().optional().describe('Only entries before this time.'),
  ...paged('Entries'),
});

export const auditPage = pageOf(
  z
    .strictObject({
      seq: z.string().describe('Its number in the log, in digits.'),
      at: instant(),
      actor: z.string(),
      action: z.string(),
      subject: z.string(),
      detail: z
        .record(z.string(), z.unknown())
        .describe('What belongs to the action: its result, a reason, names of keys.'),
    })
    .meta({ id: 'AuditEntry' }),
  'AuditPage',
);

export const auditExample = {
  seq: '1207',
  at: new Date('2026-01-30T14:30:00.000Z'),
  actor: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  action: 'quarantine',
  subject: 'dec_20260130_5c0ffee5',
  detail: { changed: true, reason: 'Submitted through a stolen key.' },
};

export const quarantinedQuery = z.strictObject({
  owner_id: z.uuid().optional().describe('Only records of this owner.'),
  ...paged('Records'),
});

export const quarantinedPage = pageOf(
  z
    .strictObject({
      record_id: recordIdText(),
      owner_id: z.uuid(),
      agent_id: z.string(),
      ...identity,
      direction,
      submission_time: instant(),
      submission_origin: submissionOrigin,
      reason: z
        .string()
        .nullable()
        .describe('As the owner sees it. When and by whom: in the audit log, by the record id.'),
      graded: z.boolean().describe('Whether a release makes it `evaluated` again, with the outcome that it had.'),
    })
    .meta({ id: 'QuarantinedRecord' }),
  'QuarantinedPage',
);

export const quarantinedExample = {
  record_id: 'dec_20260130_5c0ffee5',
  owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  agent_id: 'agt_0f1e2d3c4b5a',
  market: 'crypto',
  symbol: 'BTC',
  venue: 'BINANCE',
  asset_class: 'spot',
  quote_currency: 'USDT',
  direction: 'bullish',
  submission_time: new Date('2026-01-30T14:30:00.000Z'),
  submission_origin: 'realtime',
  reason: 'Submitted through a stolen key.',
  graded: true,
} as const;

export const releaseRequest = z
  .strictObject({
    reason: reasonText(MODERATION.releaseReasonLength).describe('Stored in the audit log.'),
  })
  .meta({ id: 'ReleaseRequest' });

export const release = z
  .strictObject({
    record_id: recordIdText(),
    lifecycle_state: lifecycleState,
    changed: z.boolean().describe('false: it was not under quarantine.'),
  })
  .meta({ id: 'Release' });

export const instrumentQuery = z.strictObject({
  status: z
    .enum(INSTRUMENT_LISTS)
    .optional()
    .describe('`queued`: those with a queued refresh; `unreachable`: no source could be asked.'),
  symbol: z.string().min(1).max(64).optional().describe('Only this symbol, as it is stored.'),
  ...paged('Instruments'),
});

const listedInstrument = z
  .strictObject({
    instrument: z
      .strictObject({ ...identity, market: z.string(), asset_class: z.string() })
      .meta({ id: 'NamedInstrument' }),
    status: z.enum(['verified', 'rejected', 'unreachable']).nullable().describe('null: it was never verified.'),
    checked_at: instant().nullable(),
    retry_at: instant().nullable().describe('When an unreachable source is asked again.'),
    attempts: count('How many times in a row no source could be asked.'),
    last_error: z.string().nullable(),
    refresh: z.strictObject({ job_id: z.uuid(), requested_at: instant() }).nullable().describe('The queued refresh.'),
  })
  .meta({ id: 'ListedInstrument' });

export const instrumentPage = pageOf(listedInstrument, 'InstrumentPage');

export function listedInstrumentOf({ key: _, ...instrument }: ListedInstrument) {
  return instrument;
}

export const instrumentExample = {
  instrument: { market: 'stock', symbol: 'ZZZZ', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' },
  status: 'rejected',
  checked_at: new Date('2026-01-30T14:30:00.000Z'),
  retry_at: null,
  attempts: 0,
  last_error: 'unknown to all sources',
  refresh: null,
} as const;

export const pegQuery = z.strictObject({
  hours: queryInteger(1, 192).optional().describe('How far back; default 24.'),
});

export const pegHistoryView = z
  .strictObject({
    coin: z.string(),
    from: instant(),
    until: instant(),
    step_seconds: z.int().min(1).describe('The length of a stretch.'),
    stretches: z
      .array(
        z
          .strictObject({
            from: instant().describe('The stretch begins here.'),
            low: z.number().describe('The lowest price of it, in USD.'),
            high: z.number(),
            last: z.number(),
            drift_bps: z.number().describe('The largest |price - 1| of it, in basis points.'),
            observations: z.int().min(1),
          })
          .meta({ id: 'PegStretch' }),
      )
      .readonly()
      .describe('At most 289; a stretch without an observation is left out.'),
  })
  .meta({ id: 'PegHistory' });

export const pegHistoryExample = {
  coin: 'USDC',
  from: new Date('2026-01-29T14:30:00.000Z'),
  until: new Date('2026-01-30T14:30:00.000Z'),
  step_seconds: 300,
  stretches: [
    {
      from: new Date('2026-01-29T14:30:00.000Z'),
      low: 0.9997,
      high: 1.0001,
      last: 1,
      drift_bps: 3,
      observations: 5,
    },
  ],
};
