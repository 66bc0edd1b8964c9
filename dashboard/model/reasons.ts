/** The fields of an object that an explanation reads. */
export interface ExplainedObject {
  readonly kind?: string;
  readonly metadata?: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] };
  readonly spec?: {
    readonly suspend?: boolean;
    readonly signerName?: string;
    readonly completions?: number;
    readonly parallelism?: number;
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly certificate?: string;
    readonly lastScheduleTime?: string;
    /** Number of pods of a Job, or the Jobs of a CronJob. */
    readonly active?: number | readonly unknown[];
    readonly ready?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

const said = ({ reason = '', message = '' }: Condition): string => (message || reason).replace(/\.$/, '');
const colon = (text: string): string => (text === '' ? '' : `: ${text}`);

/** Returns a clause that explains the state of an object, or undefined if its fields contain no reason. */
export function reasonOf(object: ExplainedObject): string | undefined {
  const { metadata = {}, spec = {}, kind = '' } = object;
  if (metadata.deletionTimestamp !== undefined) return deletion(object) ?? 'it is being deleted';
  if (spec.suspend === true) return 'it is suspended';
  return (OF_KIND[kind] ?? unmetCondition)(object) ?? phaseOf(object);
}

const OF_KIND: Readonly<Record<string, (object: ExplainedObject) => string | undefined>> = {
  CertificateSigningRequest: requestReason,
  CronJob: cronJobReason,
  Job: jobReason,
  ResourceQuota: quotaReason,
};

const WAITS: readonly (readonly [RegExp, string])[] = [
  [/^foregroundDeletion$/, 'for the deletion of its dependents'],
  [/^orphan$/, 'for its dependents to be released'],
  [/\/pvc-protection$/, 'until no pod uses it'],
  [/\/pv-protection$/, 'until no claim is bound to it'],
  [/\/job-tracking$/, 'for its Job to count it'],
];

/**
 * Returns a clause with the finalizers that delay a deletion, or with the remaining content of a namespace.
 */
function deletion({ metadata = {}, status = {} }: ExplainedObject): string | undefined {
  const remaining = (status.conditions ?? []).filter(
    ({ type, status: value }) => value === 'True' && type.startsWith('Namespace'),
  );
  if (remaining.length > 0)
    return `it is being deleted; ${remaining.map((each) => lower(said(each))).join('; ')}`;
  const { finalizers = [] } = metadata;
  if (finalizers.length === 0) return undefined;
  const waits = finalizers.map((finalizer) => {
    const known = WAITS.find(([pattern]) => pattern.test(finalizer));
    return known === undefined ? `for ${finalizer}` : `${known[1]} (${finalizer})`;
  });
  return `it is being deleted and waits ${waits.join(', ')}`;
}

const lower = (text: string): string => text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** Pattern of condition types that name a problem: the object has the problem if the status is `True`. */
const PROBLEMS = /Failure|Failed|Error|Remaining|Pressure|Unavailable|Conflict|Violat|NonStructural|Dangling/;

function unmetCondition({ status = {} }: ExplainedObject): string | undefined {
  const unmet = status.conditions?.find(
    ({ type, status: value }) => value === (PROBLEMS.test(type) ? 'True' : 'False'),
  );
  return unmet && `its condition ${unmet.type} is ${unmet.status ?? ''}${colon(said(unmet))}`;
}

const WAITING_PHASES = new Set(['Pending', 'Released', 'Lost', 'Failed']);
const phaseOf = ({ status = {} }: ExplainedObject): string | undefined =>
  WAITING_PHASES.has(status.phase ?? '') ? `its phase is ${status.phase ?? ''}` : undefined;

/**
 * Explains a CertificateSigningRequest, which is first approved and then signed:
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process
 */
function requestReason({ spec = {}, status = {} }: ExplainedObject): string {
  const { conditions = [], certificate } = status;
  const condition = (type: string): Condition | undefined =>
    conditions.find((each) => each.type === type && each.status !== 'False');
  const denied = condition('Denied');
  if (denied) return `it was denied: ${said(denied)}`;
  const broken = condition('Failed');
  if (broken) return `its signer refused it: ${said(broken)}`;
  if (certificate) return 'its certificate was issued';
  if (!condition('Approved')) return 'it is not approved yet, and only approved requests are signed';
  return `it is approved and waits for the signer ${spec.signerName ?? ''} to issue its certificate`;
}

function cronJobReason({ status = {} }: ExplainedObject): string | undefined {
  const { active = [], lastScheduleTime } = status;
  const running = typeof active === 'number' ? active : active.length;
  const parts = [
    ...(lastScheduleTime === undefined ? [] : [`it was last scheduled at ${lastScheduleTime}`]),
    ...(running === 0
      ? []
      : [running === 1 ? 'one of its Jobs is running' : `${running} of its Jobs are running`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

function jobReason({ spec = {}, status = {} }: ExplainedObject): string {
  const { conditions = [], active = 0, ready, succeeded = 0, failed = 0 } = status;
  const met = (type: string): Condition | undefined =>
    conditions.find((each) => each.type === type && each.status === 'True');
  if (met('Complete')) return 'it is complete';
  const broken = met('Failed');
  if (broken) return `it has failed${colon(said(broken))}`;
  const pods = typeof active === 'number' ? active : active.length;
  const wanted = spec.completions ?? 1;
  const readiness = ready === undefined ? '' : ` (${ready} ready)`;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `it waits for its pods: ${pods} active${readiness}, ${succeeded} of ${wanted} succeeded${failures}`;
}

function quotaReason({ status = {} }: ExplainedObject): string | undefined {
  const { hard = {}, used = {} } = status;
  const full = Object.entries(hard).filter(([name, most]) => {
    const taken = used[name] ?? '0';
    return taken === most || Number(taken) >= Number(most);
  });
  if (full.length === 0) return undefined;
  return `it is used up: ${full.map(([name, most]) => `${name} ${used[name] ?? '0'} of ${most}`).join(', ')}`;
}
