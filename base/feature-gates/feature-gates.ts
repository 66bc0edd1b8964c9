import { CodedError } from '../errors/coded.ts';

/**
 * Stage of a feature
 * (https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/#feature-stages). Features
 * in `alpha` are disabled and in `beta` enabled by default. Features in `ga` are always enabled; `removed`
 * features no longer exist.
 */
export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'deprecated' | 'removed';

/** Declaration of one feature gate. */
export interface FeatureDeclaration {
  readonly stage: FeatureStage;
  /**
   * First release with this stage, such as `1.24`. For a removed gate, the first release without the gate.
   */
  readonly since: string;
  /** Default that overrides the default of the stage. */
  readonly byDefault?: boolean;
}

/** Declarations by gate name. */
export type FeatureTable = Readonly<Record<string, FeatureDeclaration>>;

/** Enabled features, fixed at startup. */
export interface FeatureGates<Name extends string = string> {
  enabled(name: Name): boolean;
  /** All gates that can be set, sorted by name. */
  readonly states: readonly {
    readonly name: Name;
    readonly stage: FeatureStage;
    readonly enabled: boolean;
  }[];
  /** Warnings for the operator about gates that will be removed. */
  readonly warnings: readonly string[];
}

/** Error for an unknown, removed or locked gate, or an invalid value. */
export class FeatureGateError extends CodedError<'ERR_FEATURE_GATE'> {
  constructor(message: string) {
    super('ERR_FEATURE_GATE', message);
  }
}

/** Names that set all gates of a stage, except gates that are set by name. */
const BY_STAGE: Readonly<Record<string, FeatureStage>> = { AllAlpha: 'alpha', AllBeta: 'beta' };

const isOn = ({ stage, byDefault }: FeatureDeclaration): boolean => byDefault ?? stage !== 'alpha';

/**
 * Evaluates feature gates. Throws `FeatureGateError` for a gate that is unknown, removed or locked, and for
 * an invalid value.
 * @param table declarations of all gates
 * @param settings `Name=true` or `Name=false`; the last setting of a name takes precedence
 */
export function createFeatureGates<T extends FeatureTable>(
  table: T,
  settings: readonly string[] = [],
): FeatureGates<keyof T & string> {
  const given = new Map(settings.map(readSetting));
  const warnings: string[] = [];
  for (const [name, value] of given) {
    if (Object.hasOwn(BY_STAGE, name)) continue;
    const declaration = Object.hasOwn(table, name) ? table[name] : undefined;
    if (declaration === undefined)
      throw new FeatureGateError(
        `unrecognized feature gate: ${name}; expected one of ${namesOf(table).join(', ')}`,
      );
    const { stage, since } = declaration;
    if (stage === 'removed')
      throw new FeatureGateError(
        `cannot set feature gate ${name} to ${value}, it was removed in release ${since}`,
      );
    if (stage === 'ga' && !value)
      throw new FeatureGateError(
        `cannot set feature gate ${name} to ${value}, feature is locked to true since ${since}`,
      );
    if (stage === 'ga' || stage === 'deprecated')
      warnings.push(
        `setting ${stage === 'ga' ? 'GA' : stage} feature gate ${name}=${value}: it will be removed in a future release`,
      );
  }
  const stateOf = (name: string, declaration: FeatureDeclaration): boolean => {
    const all = Object.entries(BY_STAGE).find(([, stage]) => stage === declaration.stage)?.[0] ?? '';
    return given.get(name) ?? given.get(all) ?? isOn(declaration);
  };
  const states = namesOf(table).flatMap((name) => {
    const declaration = table[name];
    return declaration === undefined
      ? []
      : [{ name, stage: declaration.stage, enabled: stateOf(name, declaration) }];
  });
  const on = new Set<string>(states.filter(({ enabled }) => enabled).map(({ name }) => name));
  return { enabled: (name) => on.has(name), states, warnings };
}

const namesOf = <T extends FeatureTable>(table: T): (keyof T & string)[] =>
  Object.keys(table)
    .filter((name) => table[name]?.stage !== 'removed')
    .sort();

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function readSetting(setting: string): [name: string, value: boolean] {
  const mark = setting.indexOf('=');
  const name = (mark < 0 ? setting : setting.slice(0, mark)).trim();
  if (mark < 0) throw new FeatureGateError(`missing bool value for ${name}`);
  const value = setting.slice(mark + 1).trim();
  if (TRUE.has(value)) return [name, true];
  if (FALSE.has(value)) return [name, false];
  throw new FeatureGateError(`invalid value of ${name}=${value}: expected true or false`);
}
