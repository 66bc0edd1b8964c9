import { collectionPath, objectPath, splitName } from '../object-path.ts';
import {
  type Act,
  type ActContext,
  type ActSource,
  type ActSubject,
  type ActedObject,
  JSON_TYPE,
  MERGE_PATCH,
} from './act.ts';

const BATCH = 'batch';
/** Maximum length of a Job's name, which becomes a label of its pods. */
const MOST_LETTERS = 63;

/** Returns the object if it is of a kind of the batch group and is not being deleted. */
const ofKind = ({ resource, object }: ActSubject, kind: string): ActedObject | undefined =>
  resource.group === BATCH && object?.kind === kind && object.metadata?.deletionTimestamp === undefined
    ? object
    : undefined;

const isFinished = ({ status }: ActedObject): boolean =>
  status?.conditions?.some((each) => /^(Complete|Failed)$/.test(each.type) && each.status === 'True') ===
  true;

/** Suspends or resumes a CronJob or an unfinished Job. */
export const suspensions: ActSource = (subject) => {
  const cronJob = ofKind(subject, 'CronJob');
  if (cronJob !== undefined) return [suspension(subject, cronJob, CRON_JOB)];
  const job = ofKind(subject, 'Job');
  return job === undefined || isFinished(job) ? [] : [suspension(subject, job, JOB)];
};

const CRON_JOB = {
  suspend: 'Starts no further runs until it is resumed. Runs that have started continue.',
  resume: 'Starts runs by the schedule again.',
};
const JOB = {
  suspend: 'Deletes the running pods of the Job. They start again when it is resumed.',
  resume: 'Starts the pods of the Job again.',
};

function suspension(
  { resource, name }: ActSubject,
  { metadata, spec, kind }: ActedObject,
  effects: typeof JOB,
): Act {
  const suspend = spec?.suspend !== true;
  const { group, plural } = resource;
  return {
    label: suspend ? 'suspend' : 'resume',
    effect: effects[suspend ? 'suspend' : 'resume'],
    needs: [
      { text: `patch ${plural}`, anyOf: [{ verb: 'patch', group, resource: plural, ...splitName(name) }] },
    ],
    done: `The ${kind} is ${suspend ? 'suspended' : 'resumed'}.`,
    request: () => ({
      method: 'PATCH',
      path: objectPath(resource, name),
      contentType: MERGE_PATCH,
      body: { metadata: { uid: metadata?.uid }, spec: { suspend } },
    }),
  };
}

/** Creates a Job from a CronJob, as `kubectl create job --from` does. */
export const runNow: ActSource = (subject, context) => {
  const { resource, name } = subject;
  const object = ofKind(subject, 'CronJob');
  if (object === undefined) return [];
  const { namespace } = splitName(name);
  const jobs = { ...resource, plural: 'jobs' };
  return [
    {
      label: 'run now',
      effect: 'Creates a Job from the template at once, whatever the schedule and the concurrency policy.',
      needs: [
        { text: 'create jobs', anyOf: [{ verb: 'create', group: BATCH, resource: jobs.plural, namespace }] },
      ],
      done: 'A Job is created.',
      request: () => ({
        method: 'POST',
        path: collectionPath(jobs, namespace),
        contentType: JSON_TYPE,
        body: jobFrom(object, context),
      }),
    },
  ];
};

function jobFrom({ apiVersion, metadata, spec }: ActedObject, context: ActContext): object {
  const { labels = {}, annotations = {} } = spec?.jobTemplate?.metadata ?? {};
  const { name = '', namespace, uid } = metadata ?? {};
  const suffix = `-manual-${context.suffix()}`;
  return {
    apiVersion,
    kind: 'Job',
    metadata: {
      name: `${name.slice(0, MOST_LETTERS - suffix.length)}${suffix}`,
      namespace,
      labels,
      annotations: { [context.instantiateAnnotation]: 'manual', ...annotations },
      // Without blockOwnerDeletion, which needs the right to update the finalizers of the CronJob.
      ownerReferences: [{ apiVersion, kind: 'CronJob', name, uid, controller: true }],
    },
    spec: spec?.jobTemplate?.spec,
  };
}
