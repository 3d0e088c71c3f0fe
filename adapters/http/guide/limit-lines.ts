import { type Limits, QUOTA, SUBMIT, submitBytesPerHour } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';

/** The limits that an agent meets, with the numbers that are configured here. */
export function limitLines(limits: Limits): string {
  const { cooldownSeconds } = limits;
  const lines = [
    `Each key may send ${limits.ratePerSecond} requests a second and ${limits.ratePerMinute} a minute. An address may send, a minute, ${limits.addressPerMinute} without a key, ${limits.publicCohortsPerMinute} public cohorts, ${limits.credentialedPerMinute} with keys and ${limits.signupsPerMinute} sign-ups or logins. New accounts a day: ${limits.accountsPerAddress} of ${limits.accountsPerDay}.`,
    `All agents of an owner share daily pools, from 00:00 UTC: \`query\` ${limits.queryPerDay} (cohorts; ${QUOTA.queryCredit} more per own realtime decision graded without \`carried_open\`), \`read\` ${limits.readPerDay} (records and batches), \`check\` ${limits.checkPerDecision} for each decision (its state).`,
    `Submissions take no unit. An agent may submit ${limits.submitsPerHour} decisions an hour; an owner ${limits.retroactivePerDay} retroactive ones a day. Its bodies: ${submitBytesPerHour(limits)} bytes an hour, mean ${limits.submitMeanBytes}. An address: ${limits.agentHoursPerNetwork} agent-hours a day.`,
    `Kept a day: ${limits.publicationsPerDay} publications, ${limits.publishedBytesPerDay} bytes, ${limits.acceptancesPerDay} acceptances, ${limits.accountChangesPerDay} changes; an address ${limits.keptOwnersPerNetwork} times.`,
    cooldownSeconds === 0
      ? 'An agent may repeat a symbol and direction at once.'
      : `An agent may repeat a symbol and direction after ${cooldownSeconds} seconds, for any venue, horizon and date.`,
    `\`data_cutoff\` may be ${SUBMIT.cutoffLead / SECOND} seconds ahead of our clock. A body may have ${SUBMIT.bodyBytes} bytes.`,
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}
