import { First1763700000000 } from './1763700000000-first.ts';
import { MarketEvidence1763700000001 } from './1763700000001-market-evidence.ts';
import { OperatorsMarketData1763700000002 } from './1763700000002-operators-market-data.ts';
import { Cohorts1763700000003 } from './1763700000003-cohorts.ts';
import { OwnerLists1763700000004 } from './1763700000004-owner-lists.ts';
import { Keys1763700000005 } from './1763700000005-keys.ts';
import { Identity1763700000006 } from './1763700000006-identity.ts';
import { DeviceFlow1763700000007 } from './1763700000007-device-flow.ts';
import { Accounts1763700000008 } from './1763700000008-accounts.ts';
import { Limits1763700000009 } from './1763700000009-limits.ts';
import { Circuits1763700000010 } from './1763700000010-circuits.ts';
import { Workflows1763700000011 } from './1763700000011-workflows.ts';
import { Graph1763700000012 } from './1763700000012-graph.ts';
import { Atlas1763700000013 } from './1763700000013-atlas.ts';
import { Timelines1763700000014 } from './1763700000014-timelines.ts';
import { AtlasOrigins1763700000015 } from './1763700000015-atlas-origins.ts';
import type { Migration } from './migrate.ts';

/** Every migration, in the order of the suffixes. */
export const MIGRATIONS: readonly Migration[] = [
  First1763700000000,
  MarketEvidence1763700000001,
  OperatorsMarketData1763700000002,
  Cohorts1763700000003,
  OwnerLists1763700000004,
  Keys1763700000005,
  Identity1763700000006,
  DeviceFlow1763700000007,
  Accounts1763700000008,
  Limits1763700000009,
  Circuits1763700000010,
  Workflows1763700000011,
  Graph1763700000012,
  Atlas1763700000013,
  Timelines1763700000014,
  AtlasOrigins1763700000015,
];
