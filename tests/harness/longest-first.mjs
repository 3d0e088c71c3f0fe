// Suites that take long begin first, so that no worker is left with one at the end. Jest itself goes by file size until
// it has seen a run.
import Sequencer from '@jest/test-sequencer';

/** Parts of paths, the longest first. */
const LONG = [
  'authorisation/matrix',
  'contracts/cohort-reader',
  'contracts/decision-records',
  'circuits/played-days',
  'whole/image',
  'whole/stopping',
  'postgres/tenancy',
  'whole/readme',
  'contracts/log-store',
  'whole/demo',
  'authorisation/required-factor',
  'prices/market-data',
  'whole/operator',
  'contracts/atlas-store',
  'owner/yaml-suites',
  'http/unreadable-records',
  'whole/evidence-log',
  'whole/external-database',
  'mcp/clients',
  'agent/lifecycle',
  'contracts/owner-records',
  'clients/command-line/',
  'whole/workers',
  'whole/crash',
  'formats/yaml-readers',
  'cohorts/judge-cohort',
  'agent/wrong-prices',
  'agent/wisdom',
  'admin/healthy-day',
  'tests/whole/',
  'grading/look-ahead',
  'contracts/graph-reader',
  'contracts/adapters',
  'public/atlas',
  'contracts/admission',
  'public/skill',
  'clients/package',
  'owner/export-readers',
  'evidence/check-cohorts',
  'embedded-postgres/embedded-postgres',
  'circuits/observe-pegs',
  'grading/vectors-2',
  'grading/eval-3',
  'database/secret-fingerprints',
  'postgres/schema',
  'http/event-stream-cut',
  'demo/plan',
  'mcp/arguments',
  'jobs/runner',
  'admin/played-depeg',
  'owner/removed',
  'kit/data-source',
  'postgres/long-statements',
  'kit/replica',
  'log/hostile-witness',
  'contracts/decision-',
  'contracts/',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONG.findIndex((part) => path.includes(part)) + 1 || LONG.length + 1;
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
