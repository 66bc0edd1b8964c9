import type { Deprecation } from '../../../api/kinds/kind.ts';
import type { AnyKind, Scheme } from '../../../api/kinds/scheme.ts';
import type { Metrics } from '../../../base/metrics/metrics.ts';
import type { Stage } from '../pipeline.ts';

/** Warns who asks for a deprecated version, and shows in the metrics that somebody did (specification 1, section 4.9). */
export function createDeprecation({ scheme, metrics }: { scheme: Scheme; metrics: Metrics }): Stage {
  const requested = metrics.gauge(
    'apiserver_requested_deprecated_apis',
    'Deprecated APIs that have been requested, by group, version, resource, subresource and removed_release.',
    ['group', 'version', 'resource', 'subresource', 'removed_release'],
  );
  return {
    name: 'deprecation',
    run(context, next) {
      const { kind, info } = context;
      if (kind?.deprecated === undefined) return next(context);
      const subresource = Object.hasOwn(kind.subresources, info.subresource) ? info.subresource : '';
      const { removedRelease } = kind.deprecated;
      requested.at(info.group, info.version, info.resource, subresource, removedRelease).set(1);
      context.warnings.push(warningOf(scheme, kind, kind.deprecated));
      return next(context);
    },
  };
}

/** In upstream's words: `batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob`. */
export function warningOf(
  scheme: Scheme,
  kind: AnyKind,
  { since, removedRelease, replacement }: Deprecation,
): string {
  const use =
    replacement === undefined ? '' : `; use ${scheme.apiVersionOf(replacement)} ${replacement.kind}`;
  return `${scheme.apiVersionOf(kind)} ${kind.kind} is deprecated in v${since}+, unavailable in v${removedRelease}+${use}`;
}
