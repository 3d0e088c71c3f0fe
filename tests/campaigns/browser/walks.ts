import type { Ground } from './walk.ts';
import { appWalk } from './walks/authenticator-app.ts';
import { backtestsWalk } from './walks/backtests.ts';
import { bellWalk } from './walks/bell.ts';
import { clientWalk } from './walks/client.ts';
import { cohortWalk } from './walks/cohort.ts';
import { compareWalk } from './walks/compare.ts';
import { consoleWalk } from './walks/console.ts';
import { decisionListWalk } from './walks/decision-list.ts';
import { decisionsWalk } from './walks/decisions.ts';
import { erasureWalk } from './walks/erasure.ts';
import { fewOwnersWalk } from './walks/few-owners.ts';
import { firefoxWalk } from './walks/firefox.ts';
import { frontPictureWalk } from './walks/front-picture.ts';
import { guideWalk } from './walks/guide.ts';
import { importWalk } from './walks/import.ts';
import { keyboardWalk } from './walks/keyboard.ts';
import { keysWalk } from './walks/keys.ts';
import { largeImportWalk } from './walks/large-import.ts';
import { liveWalk } from './walks/live.ts';
import { mailedLinksWalk } from './walks/mailed-links.ts';
import { minutesWalk } from './walks/minutes.ts';
import { momentWalk } from './walks/moment.ts';
import { newcomerWalk } from './walks/newcomer.ts';
import { operatorsWalk } from './walks/operators.ts';
import { overviewWalk } from './walks/overview.ts';
import { ownerWalk } from './walks/owner.ts';
import { passkeyViewWalk } from './walks/passkey-view.ts';
import { passkeyWalk } from './walks/passkeys.ts';
import { phoneWalk } from './walks/phone.ts';
import { plansWalk } from './walks/plans.ts';
import { policyWalk } from './walks/policy.ts';
import { providerWalk } from './walks/provider.ts';
import { readerWalk } from './walks/reader.ts';
import { missingWalk, refusalWalk } from './walks/refusals.ts';
import { requiredFactorWalk } from './walks/required-factor.ts';
import { retroactiveWalk } from './walks/retroactive.ts';
import { schemeWalk } from './walks/schemes.ts';
import { sessionsWalk } from './walks/sessions.ts';
import { trackWalk } from './walks/track.ts';
import { troubleWalk } from './walks/troubles.ts';
import { verifyWalk } from './walks/verify.ts';
import { conflictWalk } from './walks/workflows/conflict.ts';
import { filesWalk } from './walks/workflows/files.ts';
import { keyboardWorkflowWalk } from './walks/workflows/keyboard.ts';
import { mouseWalk } from './walks/workflows/mouse.ts';
import { workflowViewsWalk } from './walks/workflows/views.ts';

/** Walks that the short form leaves out. */
export const LONG_WALKS: readonly ((ground: Ground) => Promise<void>)[] = [largeImportWalk];

/** All walks in order. */
export const WALKS: readonly ((ground: Ground) => Promise<void>)[] = [
  readerWalk,
  retroactiveWalk,
  fewOwnersWalk,
  ownerWalk,
  newcomerWalk,
  consoleWalk,
  keysWalk,
  erasureWalk,
  sessionsWalk,
  decisionsWalk,
  decisionListWalk,
  liveWalk,
  bellWalk,
  overviewWalk,
  trackWalk,
  compareWalk,
  backtestsWalk,
  importWalk,
  largeImportWalk,
  cohortWalk,
  plansWalk,
  mouseWalk,
  keyboardWorkflowWalk,
  filesWalk,
  conflictWalk,
  workflowViewsWalk,
  appWalk,
  passkeyWalk,
  passkeyViewWalk,
  mailedLinksWalk,
  operatorsWalk,
  minutesWalk,
  providerWalk,
  requiredFactorWalk,
  keyboardWalk,
  phoneWalk,
  schemeWalk,
  refusalWalk,
  missingWalk,
  troubleWalk,
  momentWalk,
  verifyWalk,
  frontPictureWalk,
  guideWalk,
  policyWalk,
  clientWalk,
  firefoxWalk,
];
