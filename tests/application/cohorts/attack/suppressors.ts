import { addUp } from '../../../../domain/cohorts/cohort-reader.ts';
import { NO_RECORD_FACTS, overviewOf } from '../../../../domain/cohorts/cohort-views.ts';
import {
  partThresholds,
  reasonToWithhold,
  SUPPRESSION_REASONS,
  type Thresholds,
} from '../../../../domain/cohorts/suppression.ts';
import { type Partition, producersOf, sizeOf } from './population.ts';
import type { Question } from './questions.ts';

/**
 * The reply to a question, in any words that are equal for equal replies. A withheld result is its reason alone. Counts
 * of a shown result that follow from its public rows, such as `windows`, need no words.
 */
export type Suppressor = (question: Question, partition: Partition, thresholds: Thresholds) => string;

export const SHOWN = 'shown';

/** The one that the service uses. */
export const ours: Suppressor = (question, partition, thresholds) => {
  const { whole, result, parts } = question;
  const reason = byTheLetter(question, partition, thresholds);
  if (reason !== SHOWN || thresholds.minProducers <= 1 || result === whole) return reason;
  const { minProducers } = partThresholds(thresholds);
  return parts.some((part) => producersOf(partition, part) >= minProducers) ? SHOWN : 'narrowed_too_far';
};

/** The same with what its overview shows of `had_said`, from the code that writes overviews. */
export const served: Suppressor = (question, partition, thresholds) => {
  const reply = ours(question, partition, thresholds);
  return showsHadSaid(question, reply, thresholds) ? `${reply}, had_said ${SHOWN}` : reply;
};

function showsHadSaid({ filter }: Question, reply: string, thresholds: Thresholds): boolean {
  const key = `${reply} ${filter.result_bucket}`;
  const reason = SUPPRESSION_REASONS.find((each) => each === reply) ?? null;
  const shows =
    hadSaidShown.get(key) ??
    overviewOf(filter, NO_RECORDS, reason, { ...thresholds, ownerProof: 'none' }, NO_RECORD_FACTS).had_said !== null;
  hadSaidShown.set(key, shows);
  return shows;
}

const NO_RECORDS = addUp([], false);
const hadSaidShown = new Map<string, boolean>();

/** The two checks of settled.md section 6 and nothing more. */
export const byTheLetter: Suppressor = ({ whole, result }, partition, thresholds) => {
  const countsOf = (mask: number) => ({
    samples: sizeOf(mask),
    enoughProducers: producersOf(partition, mask) >= thresholds.minProducers,
  });
  return reasonToWithhold({ result: countsOf(result), whole: countsOf(whole) }, thresholds) ?? SHOWN;
};

/** Faulty suppressors, each in its own way: an attack must detect them. */
export const LEAKY: Readonly<Record<string, Suppressor>> = {
  'reveals the number of producers': (question, partition, thresholds) => {
    const reply = ours(question, partition, thresholds);
    return reply === SHOWN ? `${reply} of ${producersOf(partition, question.result)}` : reply;
  },
  'lists the rows of a producer side by side': (question, partition, thresholds) => {
    const reply = ours(question, partition, thresholds);
    return reply === SHOWN ? `${reply} ${grouped(question.result, partition)}` : reply;
  },
  'shows the windows of a withheld cohort': (question, partition, thresholds) => {
    const reply = ours(question, partition, thresholds);
    return reply === SHOWN ? reply : `${reply}, with windows`;
  },
  'counts producers by the letter in every window': byTheLetter,
  'shows had_said of a withheld cohort': (question, partition, thresholds) => {
    const reply = served(question, partition, thresholds);
    if (reply.startsWith(SHOWN)) return reply;
    return byTheLetter(question, partition, thresholds) === SHOWN ? `${reply}, had_said ${SHOWN}` : reply;
  },
  'shows had_said of every cohort': (question, partition, thresholds) =>
    `${ours(question, partition, thresholds)}, had_said ${SHOWN}`,
  'looks at no result': ({ whole }, partition, { minProducers }) =>
    producersOf(partition, whole) >= minProducers ? SHOWN : 'too_few_producers',
  'looks at no whole cohort and only at the size of a result': ({ result }, _, { minSamples }) =>
    sizeOf(result) >= minSamples ? SHOWN : 'too_few_samples',
};

function grouped(mask: number, partition: Partition): string {
  const first = new Map<number, number>();
  return partition
    .map((owner, row) => {
      if ((mask & (1 << row)) === 0) return '';
      if (!first.has(owner)) first.set(owner, row);
      return first.get(owner);
    })
    .join();
}
