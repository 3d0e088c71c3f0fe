import { Counter, Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { SECOND } from '../../domain/time.ts';

export interface MailCounter {
  /** Counts every attempt by its result; null without mail. */
  countedMails(sender: Ports['mailSender']): Ports['mailSender'];
}

export function mailCounter(registry: Registry): MailCounter {
  const attempts = new Counter({
    name: 'stancebook_mail_attempts_total',
    help: 'Attempts to hand a mail to the server: accepted, or why it was not.',
    labelNames: ['result'],
    registers: [registry],
  });
  return {
    countedMails: (sender) =>
      sender && {
        ...sender,
        async send(mail) {
          const result = await sender.send(mail);
          attempts.inc({ result: result.outcome === 'accepted' ? 'accepted' : result.reason });
          return result;
        },
      },
  };
}

/** Read at each scrape; NaN when the database does not answer. */
export function mailGauges(registry: Registry, { mails, clock }: Pick<Ports, 'mails' | 'clock'>) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const due = gauge('stancebook_mails_due', 'Mails that should have been sent.');
  const late = gauge('stancebook_mail_lag_seconds', 'How long the oldest of them has been queued.');
  return async () => {
    const now = await clock.now().catch(() => null);
    const backlog = now && (await mails.backlog().catch(() => null));
    due.set(backlog?.due ?? Number.NaN);
    late.set(backlog && now ? (now.getTime() - (backlog.since ?? now).getTime()) / SECOND : Number.NaN);
  };
}
