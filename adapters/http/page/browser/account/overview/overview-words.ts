import type { Schemas } from '../../kit/schemas.ts';

const STATES: Readonly<Record<string, string>> = {
  deferred: 'Its prices are not settled yet. Nothing to do: the service tries again by itself.',
  pending_verify:
    'Its instrument is not verified yet. Nothing to do, unless the reason names a mistake in the symbol or venue.',
  data_unavailable: 'No source has the prices of its window. An operator can refresh the instrument once there is one.',
  rejected: 'Its instrument is not known. Submit the decision again with a symbol and venue that are.',
};

export interface Notice {
  readonly words: string;
  /** Where the owner acts on it, and what the link says. */
  readonly href: string;
  readonly action: string;
}

interface NoticedFacts {
  readonly expiring: Schemas['Dashboard']['expiring_keys'];
  readonly webhooks: readonly Schemas['Webhook'][];
  readonly legal: Schemas['LegalStatus'];
  readonly erasure: Pick<Schemas['ScheduledErasure'], 'erases_at'>;
  readonly factors: Pick<Schemas['FactorList'], 'reset'>;
}

/** What the owner should act on, the most urgent first. @param at writes a time */
export function noticesOf(
  { expiring, webhooks, legal, erasure: { erases_at }, factors: { reset } }: NoticedFacts,
  at: (time: string) => string,
): readonly Notice[] {
  return [
    ...(reset === null
      ? []
      : [
          {
            words: `All your second factors are removed ${at(reset.due_at)}, because somebody says that they are lost. Keep them if you have them.`,
            href: '#/security',
            action: 'Security',
          },
        ]),
    ...(erases_at === null
      ? []
      : [
          {
            words: `This account is erased ${at(erases_at)}. Until then you can take it back.`,
            href: '#/settings',
            action: 'Settings',
          },
        ]),
    ...expiring.map(({ key_prefix, label, expires_at }) => ({
      words: `The key ${label ?? key_prefix} ends ${at(expires_at)}: rotate it before its agent is refused.`,
      href: '#/keys',
      action: 'API keys',
    })),
    ...webhooks.flatMap((webhook) => {
      const words = webhookWords(webhook, at);
      return words === null ? [] : [{ words, href: `#/webhooks/${webhook.webhook_id}`, action: 'Its deliveries' }];
    }),
    ...(legal.up_to_date
      ? []
      : [{ words: 'You have not accepted the current terms.', href: '#/settings', action: 'Settings' }]),
  ];
}

function webhookWords({ url, status, failing_since }: Schemas['Webhook'], at: (time: string) => string): string | null {
  if (status === 'paused')
    return `The webhook ${url} is paused: nothing but failures for days. Start it once its receiver works.`;
  if (status === 'gone') return `The webhook ${url} is stopped: its receiver answered that it is gone.`;
  if (status === 'active' && failing_since !== null) return `The webhook ${url} has failed since ${at(failing_since)}.`;
  return null;
}

type Prospect = Pick<
  Schemas['OwnerDecisionSummary'],
  'lifecycle_state' | 'expected_evaluation_at' | 'evaluation' | 'quarantine_reason'
>;

/** Those whose outcome is expected, the next one first. */
export function dueNext<Row extends Pick<Prospect, 'expected_evaluation_at'>>(rows: readonly Row[]): readonly Row[] {
  const dated = rows.flatMap((row) => {
    const { expected_evaluation_at: at } = row;
    return at === null ? [] : [{ row, at: Date.parse(at) }];
  });
  return dated.toSorted((a, b) => a.at - b.at).map(({ row }) => row);
}

/** Why a record has no outcome yet or none at all, and what its owner can do. @param at writes a time */
export function troubleWords(
  { lifecycle_state: state, evaluation: { last_error, next_check_at }, quarantine_reason }: Prospect,
  at: (time: string) => string,
): string {
  const reason = last_error === null ? '' : ` Reason: ${last_error.replace(/\.?$/, '.')}`;
  const next = next_check_at === null ? '' : ` The next attempt is at ${at(next_check_at)}.`;
  if (state === 'quarantined')
    return `An operator withdrew it from what is public: ${quarantine_reason ?? 'no reason given'}. Ask the operator.`;
  return `${STATES[state] ?? ''}${reason}${next}`.trim();
}
