import type { JournalEntry } from '../../runtime/journal/index.ts';
import { ControllerModel } from './controller-model.ts';

/** The journal added up, entry by entry: on the server as it is written, in the page when it is played again. */
export class JournalModel {
  readonly controllers = new Map<string, ControllerModel>();
  /** Of the last entry; 0 before there is one. */
  seq = 0;
  atMs = 0;

  apply(entry: JournalEntry): void {
    this.seq = entry.seq;
    this.atMs = entry.atMs;
    let controller = this.controllers.get(entry.controller);
    if (controller === undefined) {
      controller = new ControllerModel();
      this.controllers.set(entry.controller, controller);
    }
    controller.apply(entry);
  }
}
