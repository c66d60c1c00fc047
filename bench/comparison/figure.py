def svg(results):
    return ""
