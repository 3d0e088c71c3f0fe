import type { Sweeps } from '../../adapters/jobs/sweep.ts';
import { eraseDueOwners } from '../../application/accounts/erasure/erase-owner.ts';
import { resetDueFactors } from '../../application/accounts/factors/factor-reset.ts';
import { keepAtlas } from '../../application/atlas/build-atlas.ts';
import { gradeRows } from '../../application/backtests/grade-rows.ts';
import { observePegs } from '../../application/circuits/change-circuit.ts';
import { FOLD_SOON, foldAll } from '../../application/cohorts/fold-cohorts.ts';
import { publishDataset } from '../../application/datasets/publish-dataset.ts';
import { pruneExpired } from '../../application/decisions/prune-expired.ts';
import { evaluateDue } from '../../application/grading/evaluate-due.ts';
import { sendMails } from '../../application/mail/send-mails.ts';
import { currentNames, learnShippedNames } from '../../application/market/names.ts';
import { verifyInstruments } from '../../application/market/verify-instruments.ts';
import type { Ports } from '../../application/ports.ts';
import { deliverWebhooks } from '../../application/webhooks/deliver-webhooks.ts';

/** The use case that each job runs. Without `refreshSymbols` and `keepLog`, symbols and evidence log stay as they are. */
export function composeSweeps(
  ports: Ports,
  refreshSymbols: () => Promise<void> = async () => undefined,
  keepLog: () => Promise<Date | undefined> = async () => undefined,
  learnNames: () => Promise<Date | undefined> = async () => void (await learnShippedNames(ports)),
): Sweeps {
  return {
    'verify-instruments': async () => {
      await currentNames(ports.names);
      const more = await verifyInstruments(ports);
      ports.wake('deliver-webhooks');
      return more ? { next: new Date() } : undefined;
    },
    'evaluate-due': async () => {
      const { ended, more, next } = await evaluateDue(ports);
      if (ended >= FOLD_SOON) ports.wake('fold-cohorts');
      if (ended > 0) ports.wake('build-atlas');
      if (ended > 0) ports.wake('deliver-webhooks');
      const soonest = more ? new Date() : next;
      return soonest ? { next: soonest } : undefined;
    },
    'grade-backtests': async () => {
      const { next } = await gradeRows(ports);
      return next ? { next } : undefined;
    },
    'fold-cohorts': () => foldAll(ports),
    'keep-log': async () => {
      const next = await keepLog();
      return next && { next };
    },
    'build-atlas': async () => void (await keepAtlas(ports)),
    'observe-pegs': async () => {
      await observePegs(ports);
      ports.wake('deliver-webhooks');
    },
    'prune-expired': () => pruneExpired(ports),
    'refresh-symbols': refreshSymbols,
    'learn-names': async () => {
      const next = await learnNames();
      return next && { next };
    },
    'deliver-webhooks': async () => {
      const next = await deliverWebhooks(ports);
      return next ? { next } : undefined;
    },
    'send-mails': async () => {
      const next = await sendMails(ports);
      return next ? { next } : undefined;
    },
    'publish-dataset': async () => void (await publishDataset(ports)),
    'reset-factors': () => resetDueFactors(ports),
    'erase-owners': async () => {
      const next = await eraseDueOwners(ports);
      return next ? { next } : undefined;
    },
  };
}
