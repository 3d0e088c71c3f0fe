import type { Schemas } from '../../kit/schemas.ts';

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
