import { type FeatureName, features } from '../api/features/features.ts';
import { type FeatureGates, createFeatureGates } from '../base/feature-gates/feature-gates.ts';
import type { Flag } from './flags.ts';

/** What `--help` says of each gate: `CronJobTimeZone=true|false (ALPHA - default=false)`. */
const described = (gates: FeatureGates): string =>
  gates.states
    .filter(({ stage }) => stage !== 'ga')
    .map(({ name, stage, enabled }) => `${name}=true|false (${stage.toUpperCase()} - default=${enabled})`)
    .join('\n        ');

/** `--feature-gates Name=true,Name=false`; given again, what came before is kept where it is not set anew. */
export function featureGatesFlag(): Flag<FeatureGates<FeatureName>> {
  const fallback = createFeatureGates(features);
  return {
    kind: 'text',
    help: `features to switch on or off; AllAlpha and AllBeta stand for all of a stage:\n        ${described(fallback)}`,
    fallback,
    shown: '',
    repeats: 'joined',
    parse: (given) =>
      createFeatureGates(
        features,
        given.split(',').filter((setting) => setting.trim() !== ''),
      ),
  };
}
