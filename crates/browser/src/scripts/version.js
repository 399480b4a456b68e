(navigator.userAgent.match(/(?:Headless)?(Chrome|Firefox)\/[\d.]+/) || [navigator.userAgent])[0].replace('HeadlessChrome', 'Chromium').replace('/', ' ')
