import { tableReaders } from '../../adapters/formats/tables/table-readers.ts';
import { tableWriters } from '../../adapters/formats/tables/table-writers.ts';
import { workflowYaml } from '../../adapters/formats/workflow-yaml.ts';
import { packSkill, writeZip } from '../../adapters/formats/zip-archive.ts';
import type { Ports, Storage } from '../../application/ports.ts';
import type { Limits } from '../../domain/limits.ts';
import { type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';
import { TABLE_VENUES } from '../../domain/market/venues.ts';
import { DAY } from '../../domain/time.ts';
import { ANY_SYMBOL } from './any-symbol.ts';
import { NO_BACKUPS } from './made-backups.ts';

/** Settings that no evaluation reads. */
const UNUSED_SETTINGS = {
  wisdom: { minProducers: 5, minSamples: 10, ownerProof: 'none' },
  publicCohorts: true,
  dataSnapshots: null,
  legal: { terms: ['1.0'], privacy: ['1.0'] },
  publicLog: true,
  redistributeBars: false,
  securityEventsKept: 180 * DAY,
  reauthenticateAfter: 0,
  webhookAllowPrivate: false,
  adminFactorRequired: false,
  ownerFactorRequired: false,
  publicOrigin: null,
  watchesPegs: false,
  expectsBackups: false,
  logPolicy: null,
  timestampAuthorities: [],
  sessionSecret: 'a secret of the bench',
} as const;

const NO_BAR_FILES: MarketData = {
  describe: async () => null,
  coverage: async () => [],
  bars: async () => {
    throw new SourceUnavailable('There are no bar files.');
  },
};

/** All ports, for evaluations: these use the storage, the prices and the report of faults alone. */
export function evaluationPorts(
  storage: Storage,
  marketData: MarketData,
  {
    limits,
    report,
    barFiles = NO_BAR_FILES,
  }: { readonly limits: Limits; readonly report: Ports['report']; readonly barFiles?: MarketData },
): Ports {
  return {
    ...storage,
    marketData,
    barFiles,
    pegSource: null,
    sourceProbes: () => [],
    symbols: ANY_SYMBOL,
    venues: TABLE_VENUES,
    passwords: {
      hash: async () => '',
      verify: async () => false,
      isOutdated: () => false,
      isGuessable: async () => false,
      isBreached: async () => false,
    },
    passkeyVerifier: {
      challengeOf: () => null,
      verifyRegistration: async () => null,
      verifyLogin: async () => null,
    },
    oneTimeCodes: { newSecret: () => '', uri: () => '', stepOf: () => null },
    identityProvider: null,
    deviceAuthorization: null,
    webhookSender: null,
    replicaLag: null,
    backupMaker: NO_BACKUPS,
    mailSender: null,
    configFaults: async () => () => [],
    logWriter: null,
    canonicalJson: JSON.stringify,
    workflowYaml: workflowYaml(),
    packSkill,
    writeZip,
    writeTable: tableWriters,
    readTable: tableReaders,
    settings: { limits, refuseTrippedSubmits: false, autoTrip: true, ...UNUSED_SETTINGS },
    wake: () => undefined,
    announce: () => undefined,
    announcePeg: () => undefined,
    announceUnverified: () => undefined,
    noteFault: () => undefined,
    report,
  };
}
