import type { ViewModule } from '../kit/forms.ts';
import { isOfHome } from './address.ts';
import { showMissing } from './missing-view.ts';

/** Who sees a view: everybody; owners, others get the login first; owners with the role admin. */
export type Audience = 'everybody' | 'owner' | 'admin';

export interface ViewEntry {
  readonly audience: Audience;
  /** Its name in the navigation of the account. Only what has one is listed there. */
  readonly label?: string;
  /** Shown within the console, next to its navigation; else alone. */
  load(): Promise<ViewModule>;
}

/** Every view except the home, by the name in its address: `#/NAME/REST`. Its modules are loaded at the first visit. */
export const VIEWS: Readonly<Record<string, ViewEntry>> = {
  records: { audience: 'everybody', load: () => import('../records/record-view.ts') },
  'sign-in': { audience: 'everybody', load: () => import('../account/sign-in/sign-in-view.ts') },
  snapshots: { audience: 'everybody', load: () => import('../workflows/versions/snapshot-view.ts') },
  'sign-up': { audience: 'everybody', load: () => import('../account/sign-in/sign-up-view.ts') },
  'signed-in': { audience: 'everybody', load: () => import('../account/sign-in/signed-in-view.ts') },
  cohorts: { audience: 'everybody', load: () => import('../cohorts/cohort-view.ts') },
  reset: { audience: 'everybody', load: () => import('../account/sign-in/reset-view.ts') },
  confirm: { audience: 'everybody', load: () => import('../account/sign-in/confirm-view.ts') },
  overview: { audience: 'owner', label: 'Overview', load: () => import('../account/overview/overview-view.ts') },
  own: { audience: 'owner', label: 'Decisions', load: () => import('../records/decisions-view.ts') },
  track: { audience: 'owner', label: 'Track records', load: () => import('../agents/track-view.ts') },
  compare: { audience: 'owner', label: 'Compare', load: () => import('../cohorts/compare-view.ts') },
  backtests: { audience: 'owner', label: 'Back-tests', load: () => import('../agents/backtests-view.ts') },
  plans: { audience: 'owner', label: 'Plans', load: () => import('../cohorts/plans-view.ts') },
  agents: { audience: 'owner', label: 'Agents', load: () => import('../account/keys/agents-view.ts') },
  keys: { audience: 'owner', label: 'API keys', load: () => import('../account/keys/keys-view.ts') },
  workflows: { audience: 'owner', label: 'Workflows', load: () => import('../workflows/workflows-view.ts') },
  marketplace: { audience: 'owner', load: () => import('../workflows/marketplace-view.ts') },
  webhooks: { audience: 'owner', label: 'Webhooks', load: () => import('../account/webhooks/webhooks-view.ts') },
  security: { audience: 'owner', label: 'Security', load: () => import('../account/security/security-view.ts') },
  settings: { audience: 'owner', label: 'Settings', load: () => import('../account/settings/settings-view.ts') },
  operations: { audience: 'admin', label: 'Operations', load: () => import('../operators/operations-view.ts') },
  circuits: { audience: 'admin', label: 'Circuits', load: () => import('../operators/circuits-view.ts') },
  quarantine: { audience: 'admin', label: 'Quarantine', load: () => import('../operators/quarantine-view.ts') },
  instruments: {
    audience: 'admin',
    label: 'Instruments',
    load: () => import('../operators/operator-lists.ts').then(({ showInstruments: show }) => ({ show })),
  },
  accounts: { audience: 'admin', label: 'Accounts', load: () => import('../operators/accounts-view.ts') },
  'audit-log': {
    audience: 'admin',
    label: 'Audit log',
    load: () => import('../operators/operator-lists.ts').then(({ showAuditLog: show }) => ({ show })),
  },
  'all-security-events': {
    audience: 'admin',
    label: 'All security events',
    load: () => import('../operators/operator-lists.ts').then(({ showSecurityEvents: show }) => ({ show })),
  },
};

const MISSING: ViewEntry = { audience: 'everybody', load: async () => ({ show: showMissing }) };

/** The view at an address; undefined for a section of the home. */
export function viewAt(name: string): ViewEntry | undefined {
  return Object.hasOwn(VIEWS, name) ? VIEWS[name] : isOfHome(name) ? undefined : MISSING;
}
