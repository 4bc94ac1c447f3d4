// Runs in the page: collects the browser's own performance entries until takeEntries() is called.
(() => {
  let entries = { shift: 0, interaction: 0, task: 0 };
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) entries.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId > 0) entries.interaction = Math.max(entries.interaction, duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });

  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) entries.task = Math.max(entries.task, duration);
  }).observe({ type: 'longtask', buffered: true });

  /**
   * When the last press began, on the clock of `performance.now()`. The page records it, because a test driver needs
   * additional time to press.
   */
  let pressed = 0;
  addEventListener('pointerdown', ({ timeStamp }) => (pressed = timeStamp), { capture: true });
  /**
   * Waits for the page that the next press opens.
   * @returns the milliseconds from the beginning of the press to the frame with the content
   */
  globalThis.untilShown = (selector) => {
    const startedAt = pressed;
    return new Promise((resolve) => {
      const look = () => {
        const main = document.querySelector('main');
        const isShown =
          pressed > startedAt && main?.querySelector(selector) && !main.textContent.includes('Loading');
        if (isShown) setTimeout(() => resolve(performance.now() - pressed));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
  };

  /** The files of the document, itself included, and the bytes that were transferred for it and its data. */
  globalThis.weigh = () => {
    const entries = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
    return {
      files: 1 + entries.filter(({ name }) => /\.\w+$/.test(new URL(name).pathname)).length,
      bytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0),
    };
  };

  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  /** The entries since the last call, with those of the next two frames. */
  globalThis.takeEntries = async () => {
    await frame();
    await frame();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const taken = entries;
    entries = { shift: 0, interaction: 0, task: 0 };
    return taken;
  };
})();
