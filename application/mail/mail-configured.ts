import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';

export type MailPorts = Pick<Ports, 'mailSender' | 'settings'>;

/** @throws Problem MAIL_NOT_CONFIGURED */
export function refuseWithoutMail({ mailSender }: Pick<Ports, 'mailSender'>): void {
  if (mailSender === null) throw new Problem('MAIL_NOT_CONFIGURED', 'This service sends no mail.');
}
