import { z } from 'zod';
import { CLIENT_KINDS } from '../../../domain/accounts/security-event.ts';
import { PERMISSION_MODES, TIERS } from '../../../domain/caller.ts';
import { CIRCUIT_STATES } from '../../../domain/circuits/circuit.ts';
import { COINS } from '../../../domain/circuits/coin.ts';
import { COHORT_SORTS } from '../../../domain/cohorts/cohort-reader.ts';
import {
  ANALYSIS_CLASSES,
  DIRECTIONS,
  HORIZON_KINDS,
  PERSPECTIVE_TYPES,
  SUBMISSION_ORIGINS,
} from '../../../domain/decisions/call.ts';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { RELATIONS } from '../../../domain/decisions/submission/submission.ts';
import { GRIDS } from '../../../domain/grading/grid.ts';
import { METHOD_NAMES } from '../../../domain/grading/method-facts.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { ASSET_CLASSES, MARKETS } from '../../../domain/market/venues.ts';
import { VISIBILITIES } from '../../../domain/workflows/workflow.ts';

// The words that several shapes use; each list has one name for clients.

export const market = z.enum(MARKETS).meta({ id: 'Market' });
export const assetClass = z.enum(ASSET_CLASSES).meta({ id: 'AssetClass' });

export const direction = z.enum(DIRECTIONS).meta({ id: 'Direction' });
export const horizonKind = z.enum(HORIZON_KINDS).meta({ id: 'HorizonKind' });
export const analysisClass = z.enum(ANALYSIS_CLASSES).meta({ id: 'AnalysisClass' });
export const perspectiveType = z.enum(PERSPECTIVE_TYPES).meta({ id: 'PerspectiveType' });
export const relation = z.enum(RELATIONS).meta({ id: 'Relation' });
export const submissionOrigin = z.enum(SUBMISSION_ORIGINS).meta({ id: 'SubmissionOrigin' });
export const lifecycleState = z.enum(LIFECYCLE_STATES).meta({ id: 'LifecycleState' });
export const resultBucket = z.enum(RESULT_BUCKETS).meta({ id: 'ResultBucket' });
export const evaluationMethod = z.enum(METHOD_NAMES).meta({ id: 'EvaluationMethod' });
export const grid = z.enum(GRIDS).meta({ id: 'Grid' });
export const cohortSort = z.enum(COHORT_SORTS).meta({ id: 'CohortSort' });

export const coin = z.enum(COINS).meta({ id: 'Stablecoin' });
export const circuitState = z.enum(CIRCUIT_STATES).meta({ id: 'CircuitState' });

export const permissionMode = z.enum(PERMISSION_MODES).meta({ id: 'PermissionMode' });
export const tier = z.enum(TIERS).meta({ id: 'Tier' });
export const visibility = z.enum(VISIBILITIES).meta({ id: 'Visibility' });

export const clientKind = z.enum(CLIENT_KINDS).meta({ id: 'ClientKind' });
