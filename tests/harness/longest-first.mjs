// Suites that take long begin first, so that no worker is left with one at the end. Jest itself goes by file size until
// it has seen a run.
import Sequencer from '@jest/test-sequencer';

/** Parts of paths, the longest first. */
const LONG = [
  'authorisation/matrix',
  'contracts/cohort-reader',
  'whole/stopping',
  'whole/evidence-log',
  'application/circuits/played-days',
  'whole/demo',
  'contracts/log-store',
  'agent/wisdom-campaign',
  'whole/workers',
  'whole/external-database',
  'whole/crash',
  'adapters/jobs/runner',
  'whole/readme',
  'contracts/owner-records',
  'contracts/atlas-store',
  'owner/removed',
  'kit/data-source',
  'clients/command-line/',
  'authorisation/negative-controls',
  'postgres/long-statements',
  'contracts/decision-',
  'kit/replica',
  'log/hostile-witness',
  'agent/wisdom',
  'mcp/clients',
  'contracts/cohort-controls',
  'tests/whole/',
  'owner/yaml-suites',
  'commands/market-data',
  'contracts/adapters',
  'agent/lifecycle',
  'public/skill',
  'grading/look-ahead',
  'embedded-postgres/embedded-postgres',
  'contracts/',
  'docs/what-remains',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONG.findIndex((part) => path.includes(part)) + 1 || LONG.length + 1;
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
