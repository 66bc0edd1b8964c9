import type { AttentionRules } from '../../runtime/index.ts';
import { aggregationUnmatched } from './aggregation-unmatched.ts';
import { apiUnavailable } from './api-unavailable.ts';
import { blockedDeletion } from './blocked-deletion.ts';
import { blockedNamespace } from './blocked-namespace.ts';
import { blockedOwner } from './blocked-owner.ts';
import { cronJobBlocked } from './cronjob-blocked.ts';
import { cronJobMissed } from './cronjob-missed.ts';
import { cronJobNeverDue } from './cronjob-never-due.ts';
import { cronJobSuspended } from './cronjob-suspended.ts';
import { jobFailed } from './job-failed.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import { requestDenied } from './request-denied.ts';
import { requestFailed } from './request-failed.ts';
import { requestUnapproved } from './request-unapproved.ts';
import { requestUnsigned } from './request-unsigned.ts';
import { rightsMissing } from './rights-missing.ts';
import { tokenWithoutAccount } from './token-without-account.ts';
import { webhookConfigurations } from './webhook-configuration.ts';
import { webhookRefuses } from './webhook-refuses.ts';
import { webhookUnreachable } from './webhook-unreachable.ts';

/** Rules of the list of what needs attention. */
export const attentionRules: AttentionRules = {
  objects: [
    aggregationUnmatched,
    apiUnavailable,
    blockedDeletion,
    blockedNamespace,
    blockedOwner,
    cronJobBlocked,
    cronJobMissed,
    cronJobNeverDue,
    cronJobSuspended,
    jobFailed,
    requestDenied,
    requestFailed,
    requestUnapproved,
    requestUnsigned,
    tokenWithoutAccount,
    ...webhookConfigurations,
  ],
  failures: [quotaExceeded, webhookUnreachable, webhookRefuses, rightsMissing],
};
