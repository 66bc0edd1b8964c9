import { orchVocabulary } from '../../../api/vocabulary/index.ts';
import { rotatedSigner } from '../../controllers/csrsigning/histories.fixture.ts';
import { csrRotationInvariants } from '../../controllers/csrsigning/invariants.ts';
import { twins } from '../../controllers/index.ts';
import {
  duplicatedTokenHistories,
  generatedTokenHistories,
  rotatedTokenHistories,
} from '../../controllers/serviceaccount-token/histories.fixture.ts';
import { serviceAccountTokenInvariants } from '../../controllers/serviceaccount-token/invariants.ts';
import { allInvariants } from '../index.ts';
import { apiserverHistories } from './apiserver.fixture.ts';
import { claimHistories } from './claims.fixture.ts';
import { genericHistories } from './generic.fixture.ts';
import { leaderElectionHistories } from './leaderelection.fixture.ts';
import type { History } from './objects.fixture.ts';
import { oracleHistories } from './oracles.fixture.ts';
import { reconcileHistories } from './reconciles.fixture.ts';

/** Invariants that every run evaluates. */
export const all = allInvariants(orchVocabulary, {
  namespaced: ['/configmaps', '/secrets', '/serviceaccounts', 'batch/jobs', 'batch/cronjobs'],
  cluster: ['/namespaces'],
});

/** Invariants that hold only with certain settings of a run. */
export const optional = [
  ...serviceAccountTokenInvariants(orchVocabulary, { areGenerated: true, areDuplicated: true, rootCa: 'ca' }),
  ...csrRotationInvariants(rotatedSigner.authorityPem),
].filter(({ id }) => !all.some((each) => each.id === id));

const ofControllers = await Promise.all(
  twins.map(async ({ name }) => {
    const fixture = (await import(`../../controllers/${name}/histories.fixture.ts`)) as {
      readonly histories: readonly History[];
    };
    return fixture.histories;
  }),
);

/** Histories of the invariants in `all`. */
export const histories: readonly History[] = [
  ...genericHistories,
  ...reconcileHistories,
  ...leaderElectionHistories,
  ...apiserverHistories,
  ...oracleHistories,
  ...claimHistories,
  ...ofControllers.flat(),
];

/** Histories of the invariants in `optional`. */
export const optionalHistories: readonly History[] = [
  ...generatedTokenHistories,
  ...duplicatedTokenHistories,
  ...rotatedTokenHistories,
  ...rotatedSigner.histories,
];
