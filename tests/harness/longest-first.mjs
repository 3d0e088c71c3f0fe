// Suites that take long begin first, so that no worker is left with one at the end. Jest itself goes by file size until
// it has seen a run.
import Sequencer from '@jest/test-sequencer';

/** Parts of paths, the longest first. */
const LONG = [
  'authorisation/matrix',
  'application/circuits/played-days',
  'whole/stopping',
  'contracts/cohort-reader',
  'whole/crash',
  'whole/demo',
  'grading/look-ahead',
  'adapters/jobs/runner',
  'authorisation/negative-controls',
  'agent/wisdom-campaign',
  'tests/whole/',
  'cohorts/verified-attack',
  'grading/vectors-2',
  'owner/yaml-suites',
  'kit/data-source',
  'commands/market-data',
  'contracts/',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONG.findIndex((part) => path.includes(part)) + 1 || LONG.length + 1;
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
