import { type Limits, QUOTA, SUBMIT } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';

/** The limits that an agent meets, with the numbers that are configured here. */
export function limitLines(limits: Limits): string {
  const { cooldownSeconds } = limits;
  const lines = [
    `Each key may ask ${limits.ratePerSecond} times a second and ${limits.ratePerMinute} times a minute; an address without a key ${limits.addressPerMinute} times a minute, and ${limits.signupsPerMinute} times a minute for an account.`,
    `Each owner has daily pools for all agents together, from 00:00 UTC: \`query\` ${limits.queryPerDay} (cohorts; ${QUOTA.queryCredit} more for each record of yours that is graded, unless it looked back), \`read\` ${limits.readPerDay} (records and batches), \`check\` ${limits.checkPerDecision} for each record (its state). What is refused takes nothing.`,
    `Submissions take nothing of a pool. An agent may submit ${limits.submitsPerHour} an hour, of those that look back an owner ${limits.retroactivePerDay} a day.`,
    cooldownSeconds === 0
      ? 'An agent may repeat a symbol and direction at once.'
      : `An agent may repeat a symbol and direction after ${cooldownSeconds} seconds, whatever the venue, horizon and date.`,
    `\`data_cutoff\` may be at most ${SUBMIT.cutoffLead / SECOND} seconds ahead of our clock. A body may have ${SUBMIT.bodyBytes} bytes.`,
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}
