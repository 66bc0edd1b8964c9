import type { Metrics } from '../../base/metrics/index.ts';
import type { InformerMetrics } from './informer-contract.ts';

/** Bucket bounds for the duration of a list in seconds, from a few objects to a large cluster. */
const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

/**
 * Creates the series of informers in `metrics`. The value of the label `informer` is the kind and scope, such
 * as `jobs.batch in default`.
 */
export function createInformerMetrics(metrics: Metrics): InformerMetrics {
  const objects = metrics.gauge('informer_objects', 'Objects in the cache', ['informer']);
  const silence = metrics.gauge(
    'informer_last_heard_seconds',
    'Seconds since the last event, bookmark or list of the server',
    ['informer'],
  );
  const watching = metrics.gauge('informer_watching', '1 while a watch is open', ['informer']);
  const lists = metrics.counter('informer_lists_total', 'Lists received', ['informer']);
  const listSeconds = metrics.histogram(
    'informer_list_duration_seconds',
    'Duration of a list with all its pages',
    ['informer'],
    SECONDS,
  );
  const missed = metrics.counter(
    'informer_missed_changes_total',
    'Changes found by a list that no watch had reported',
    ['informer'],
  );
  const ends = metrics.counter('informer_watch_ends_total', 'Ended watches by reason', [
    'informer',
    'reason',
  ]);
  const events = metrics.counter('informer_events_total', 'Watch events by type', ['informer', 'type']);
  const failures = metrics.counter('informer_handler_failures_total', 'Handlers that threw', ['informer']);
  return {
    track(read) {
      metrics.beforeExpose(() => {
        for (const informer of read()) {
          objects.at(informer.name).set(informer.objects);
          silence.at(informer.name).set(informer.silentMs / 1000);
          watching.at(informer.name).set(informer.watching ? 1 : 0);
        }
      });
    },
    listed(informer, _count, changes, ms) {
      lists.at(informer).add(1);
      listSeconds.at(informer).observe(ms / 1000);
      missed.at(informer).add(changes);
    },
    watchEnded: (informer, how) => ends.at(informer, how).add(1),
    event: (informer, type) => events.at(informer, type).add(1),
    handlerFailed: (informer) => failures.at(informer).add(1),
  };
}
